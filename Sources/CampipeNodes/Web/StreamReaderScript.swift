/// The script of the index: reads `/stream/all` and paints each part into the image of its stream.
///
/// It goes by `Content-Length`, as the server writes it. One picture of a stream is decoded at a time, and of those that
/// come meanwhile the newest is next; while the page is hidden nothing is asked for, so nothing is made.
enum StreamReaderScript {
    static let text = """
        const images = new Map([...document.querySelectorAll('img[data-stream]')].map(i => [i.dataset.stream, i]));
        const busy = new Map();
        let reading = null;
        function paint(name, jpeg) {
          const image = images.get(name);
          if (!image) return;
          if (busy.has(name)) { busy.set(name, jpeg); return; }
          busy.set(name, null);
          const url = URL.createObjectURL(new Blob([jpeg], {type: 'image/jpeg'}));
          image.onload = image.onerror = () => {
            URL.revokeObjectURL(url);
            const next = busy.get(name);
            busy.delete(name);
            if (next) paint(name, next);
          };
          image.classList.remove('gone');
          image.src = url;
        }
        function headEnd(bytes, from) {
          for (let i = from; i + 3 < bytes.length; i++) {
            if (bytes[i] === 13 && bytes[i + 1] === 10 && bytes[i + 2] === 13 && bytes[i + 3] === 10) return i;
          }
          return -1;
        }
        async function read(signal) {
          const answer = await fetch('/stream/all?width=320&fps=5', {signal, cache: 'no-store'});
          if (!answer.ok) throw new Error(answer.status);
          const reader = answer.body.getReader();
          let held = new Uint8Array(0), head = null;
          for (;;) {
            const {done, value} = await reader.read();
            if (done) return;
            const joined = new Uint8Array(held.length + value.length);
            joined.set(held);
            joined.set(value, held.length);
            held = joined;
            for (;;) {
              if (!head) {
                const end = headEnd(held, 0);
                if (end < 0) break;
                const text = new TextDecoder().decode(held.subarray(0, end));
                const field = name => (text.match(new RegExp('^' + name + ': *(.*)$', 'mi')) || [])[1];
                head = {name: (field('X-Stream') || '').trim(), length: Number(field('Content-Length') || 0)};
                held = held.slice(end + 4);
              }
              if (held.length < head.length) break;
              paint(head.name, held.slice(0, head.length));
              held = held.slice(head.length);
              head = null;
            }
          }
        }
        async function show() {
          if (reading || document.hidden || images.size === 0) return;
          reading = new AbortController();
          try { await read(reading.signal); } catch (error) { }
          const hidden = document.hidden;
          reading = null;
          if (!hidden) for (const image of images.values()) image.classList.add('gone');
          setTimeout(show, 1000);
        }
        document.addEventListener('visibilitychange', () => {
          if (document.hidden && reading) reading.abort(); else show();
        });
        show();
        """
}
