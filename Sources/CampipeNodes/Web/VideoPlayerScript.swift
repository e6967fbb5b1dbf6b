/// The script of the page of one stream: plays `live.mp4` by Media Source Extensions, and keeps it live.
///
/// What it does follows from `decide`, a pure function of what is buffered and where the playhead is, after each piece
/// that was appended: so it needs no timer, which browsers slow down in pages that nobody sees. Where there is no video,
/// or the browser does not play it (`refusal`, a pure function too) or never begins, it shows the MJPEG stream, with a word
/// why.
enum VideoPlayerScript {
    static let text = """
        const main = document.querySelector('main'), path = main.dataset.path;
        const video = document.querySelector('video'), image = document.querySelector('img.live');
        const word = document.querySelector('.word');
        const edge = 0.3, farthest = 1.5, kept = 8;
        // ranges: what is buffered, as [start, end] in seconds; at: the playhead; rate: how fast it goes.
        function decide(ranges, at, rate) {
          const answer = {rate};
          if (ranges.length === 0) return answer;
          const [start, end] = ranges[ranges.length - 1];
          const behind = end - at;
          let goal = at;
          if (at < start || at > end || behind > farthest) {
            goal = answer.seek = Math.max(start, end - edge);
            answer.rate = 1;
          } else if (behind > 0.6) answer.rate = 1.1;
          else if (behind < 0.35) answer.rate = 1;
          if (goal - ranges[0][0] > 2 * kept) answer.cut = goal - kept;
          return answer;
        }
        // Why a type is not played, as a sentence; empty if it is.
        function refusal(type, plays) {
          if (plays(type)) return '';
          const name = type.includes('hvc1') ? 'H.265' : 'this kind of H.264';
          return 'This browser does not play ' + name + ', so these are single pictures.';
        }
        let source = null, buffer = null, queue = [], queued = 0, reading = null, type = '';
        let heard = Date.now(), looked = Date.now(), pace = 0, hiddenSince = 0, isOver = false;
        let readSince = 0, fedSince = 0, isSoon = false;
        function ranges() {
          const found = [], list = buffer.buffered;
          for (let i = 0; i < list.length; i++) found.push([list.start(i), list.end(i)]);
          return found;
        }
        function pump() {
          if (!buffer || buffer.updating || source.readyState !== 'open') return;
          const answer = decide(ranges(), video.currentTime, video.playbackRate);
          if (answer.seek !== undefined) video.currentTime = answer.seek;
          if (answer.rate !== video.playbackRate) video.playbackRate = answer.rate;
          if (video.paused && !document.hidden) video.play().catch(() => {});
          try {
            if (answer.cut !== undefined) buffer.remove(0, answer.cut);
            else if (queue.length > 0) {
              const joined = new Uint8Array(queued);
              let at = 0;
              for (const piece of queue) { joined.set(piece, at); at += piece.length; }
              queue = [];
              queued = 0;
              fedSince = fedSince || Date.now();
              buffer.appendBuffer(joined);
            }
          } catch (error) { drop(); }
        }
        // Begins anew: with the same player if it can go on, and with what it showed last until there is more.
        function drop() {
          if (reading) reading.abort();
          source = buffer = null;
          queue = [];
          queued = 0;
        }
        function attach(wanted) {
          queue = [];
          queued = 0;
          fedSince = 0;
          if (buffer && wanted === type && !buffer.updating && source.readyState === 'open') {
            buffer.abort();
            if (buffer.buffered.length > 0) buffer.remove(0, Infinity);
            return Promise.resolve();
          }
          type = wanted;
          buffer = null;
          source = new MediaSource();
          const own = source, url = URL.createObjectURL(own);
          return new Promise((resolve, reject) => {
            own.addEventListener('sourceopen', () => {
              URL.revokeObjectURL(url);
              try {
                buffer = own.addSourceBuffer(type);
                buffer.addEventListener('updateend', pump);
                buffer.addEventListener('error', drop);
                resolve();
              } catch (error) { reject(error); }
            }, {once: true});
            video.src = url;
          });
        }
        function pictures(why) {
          isOver = true;
          button?.remove();
          if (reading) reading.abort();
          video.removeAttribute('src');
          video.hidden = true;
          word.textContent = why;
          image.src = path + '/stream';
          image.hidden = false;
        }
        // Muted until somebody asks: what nobody hears is not even sent.
        const button = document.querySelector('button.sound');
        function hear(isOn) {
          video.muted = !isOn;
          button.textContent = isOn ? 'sound off' : 'sound on';
          if (reading) reading.abort();
          setTimeout(show, 50);
        }
        if (button) button.addEventListener('click', () => hear(video.muted));
        async function read(signal) {
          const query = video.muted ? '?page&audio=none' : '?page';
          const answer = await fetch(path + '/live.mp4' + query, {signal, cache: 'no-store'});
          if (answer.status === 204) { pictures(''); return; }
          if (!answer.ok) throw new Error(answer.status);
          const wanted = answer.headers.get('Content-Type');
          const why = refusal(wanted, t => MediaSource.isTypeSupported(t));
          if (why) { pictures(why); return; }
          if (button && !video.muted && !wanted.includes('mp4a')) button.textContent = 'no sound';
          await attach(wanted);
          const reader = answer.body.getReader();
          for (;;) {
            const {done, value} = await reader.read();
            if (done || !buffer) return;
            const now = Date.now();
            pace = pace * 0.9 + Math.min(now - heard, 10000) * 0.1;
            heard = now;
            queue.push(value);
            queued += value.length;
            if (queued > 16 << 20) return;
            pump();
          }
        }
        async function show() {
          if (reading || isOver) return;
          if (document.hidden && Date.now() - hiddenSince > 10000) return;
          reading = new AbortController();
          const own = reading, began = readSince = Date.now();
          try { await read(own.signal); } catch (error) { }
          own.abort();
          reading = null;
          setTimeout(show, isSoon || Date.now() - began > 3000 ? 50 : 1000);
          isSoon = false;
        }
        setInterval(() => {
          const now = Date.now(), slept = now - looked > 4000;
          looked = now;
          if (isOver) return;
          // After a sleep the connection may be dead without saying so; one that is new since then is not.
          if (slept && !document.hidden && reading && now - readSince > 2000) {
            isSoon = true;
            reading.abort();
          }
          // Fed for so long, and nothing of it to be shown: without a keyframe a browser does not begin.
          if (buffer && fedSince && now - fedSince > 8000 && ranges().length === 0) {
            pictures('This browser does not begin without a keyframe, and none came, so these are single pictures.');
            return;
          }
          if (document.hidden && hiddenSince && now - hiddenSince > 10000 && reading) reading.abort();
          const age = now - heard, isOld = age > Math.max(2000, 3 * pace);
          video.classList.toggle('gone', isOld);
          word.textContent = isOld ? 'no picture for ' + Math.round(age / 1000) + ' s' : '';
          pump();
        }, 500);
        document.addEventListener('visibilitychange', () => {
          hiddenSince = document.hidden ? Date.now() : 0;
          if (!document.hidden) { pump(); show(); }
        });
        video.addEventListener('error', () => { if (!isOver) drop(); });
        if (window.MediaSource) show();
        else if (video.canPlayType('application/vnd.apple.mpegurl')) {
          isOver = true;
          video.addEventListener('error', () => pictures(''));
          video.src = path + '/index.m3u8';
        } else pictures('');
        """
}
