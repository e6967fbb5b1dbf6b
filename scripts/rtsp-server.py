#!/usr/bin/python3
"""A camera for the checks: GStreamer's RTSP server with a test picture. Prints `ready PORT` when it serves /live.

SIGUSR1 stops and starts the packets while the connection stays: a stall without a close.
"""
import argparse
import random
import signal
import sys

import gi

gi.require_version("Gst", "1.0")
gi.require_version("GstRtsp", "1.0")
gi.require_version("GstRtspServer", "1.0")
from gi.repository import GLib, Gst, GstRtsp, GstRtspServer  # noqa: E402

parser = argparse.ArgumentParser()
parser.add_argument("--port", type=int, default=0)
parser.add_argument("--codec", choices=["h264", "h265", "jpeg"], default="h264")
parser.add_argument("--size", default="640x360")
parser.add_argument("--fps", type=int, default=15)
parser.add_argument("--keyframes", type=int, default=15, help="pictures from one keyframe to the next")
parser.add_argument("--refresh", action="store_true", help="no keyframes but the first: a part of each picture is sent anew")
parser.add_argument("--bframes", type=int, default=0)
parser.add_argument("--audio", choices=["none", "aac", "pcma", "pcmu"], default="none")
parser.add_argument("--protocols", choices=["tcp", "udp", "any"], default="any")
parser.add_argument("--auth", choices=["none", "basic", "digest"], default="none")
parser.add_argument("--user", default="operator")
parser.add_argument("--password", default="p#ss:w@rd")
parser.add_argument("--loss", type=float, default=0, help="share of packets that never leave, such as 0.01")
parser.add_argument("--tls", nargs=2, metavar=("CERTIFICATE", "KEY"))
options = parser.parse_args()

Gst.init(None)
width, height = options.size.split("x")
encoders = {
    "h264": f"x264enc tune=zerolatency speed-preset=ultrafast bitrate=1500 key-int-max={options.keyframes} "
    "! rtph264pay name=pay0 pt=96 config-interval=-1",
    "h265": f"x265enc tune=zerolatency speed-preset=ultrafast bitrate=1500 key-int-max={options.keyframes} "
    "! rtph265pay name=pay0 pt=96 config-interval=-1",
    "jpeg": "jpegenc quality=80 ! rtpjpegpay name=pay0 pt=26",
}
if options.refresh:
    encoders["h264"] = encoders["h264"].replace("x264enc ", "x264enc intra-refresh=true ", 1)
if options.bframes:
    encoders["h264"] = (
        f"x264enc bframes={options.bframes} b-adapt=false speed-preset=veryfast bitrate=1500 rc-lookahead=5 "
        f"sync-lookahead=0 key-int-max={options.keyframes} ! rtph264pay name=pay0 pt=96 config-interval=-1"
    )
sounds = {
    "none": "",
    "aac": " audiotestsrc is-live=true ! audioconvert ! avenc_aac ! aacparse ! rtpmp4gpay name=pay1 pt=97",
    "pcmu": " audiotestsrc is-live=true ! audio/x-raw,rate=8000 ! mulawenc ! rtppcmupay name=pay1 pt=0",
    "pcma": " audiotestsrc is-live=true ! audio/x-raw,rate=8000 ! alawenc ! rtppcmapay name=pay1 pt=8",
}
launch = (
    f"( videotestsrc is-live=true pattern=smpte horizontal-speed=5 ! video/x-raw,format=I420,width={width},height={height},"
    f"framerate={options.fps}/1 ! {encoders[options.codec]}{sounds[options.audio]} )"
)

stalled = False


def toggle(*_):
    global stalled
    stalled = not stalled
    return True


def probe(pad, info):
    if info.type & Gst.PadProbeType.BUFFER_LIST:
        if stalled:
            return Gst.PadProbeReturn.DROP
        # A list belongs to all who have it, so what is kept goes on buffer by buffer.
        buffers = info.get_buffer_list()
        for index in range(buffers.length()):
            if random.random() >= options.loss:
                pad.get_peer().chain(buffers.get(index))
        return Gst.PadProbeReturn.DROP
    lost = stalled or random.random() < options.loss
    return Gst.PadProbeReturn.DROP if lost else Gst.PadProbeReturn.OK


def configure(_, media):
    media.get_element().get_by_name("pay0").get_static_pad("src").add_probe(
        Gst.PadProbeType.BUFFER | Gst.PadProbeType.BUFFER_LIST, probe
    )


server = GstRtspServer.RTSPServer()
server.set_address("127.0.0.1")
server.set_service(str(options.port))
factory = GstRtspServer.RTSPMediaFactory()
factory.set_launch(launch)
factory.set_shared(True)
lower = GstRtsp.RTSPLowerTrans
factory.set_protocols({"tcp": lower.TCP, "udp": lower.UDP, "any": lower.TCP | lower.UDP}[options.protocols])
factory.connect("media-configure", configure)
if options.auth != "none" or options.tls:
    auth = GstRtspServer.RTSPAuth()
    if options.tls:
        from gi.repository import Gio

        auth.set_tls_certificate(Gio.TlsCertificate.new_from_files(*options.tls))
    if options.auth != "none":
        token = GstRtspServer.RTSPToken()
        token.set_string("media.factory.role", "user")
        permissions = GstRtspServer.RTSPPermissions()
        permissions.add_permission_for_role("user", "media.factory.access", True)
        permissions.add_permission_for_role("user", "media.factory.construct", True)
        factory.set_permissions(permissions)
        if options.auth == "digest":
            auth.set_supported_methods(GstRtsp.RTSPAuthMethod.DIGEST)
            auth.add_digest(options.user, options.password, token)
        else:
            auth.add_basic(auth.make_basic(options.user, options.password), token)
    server.set_auth(auth)
server.get_mount_points().add_factory("/live", factory)
loop = GLib.MainLoop()
if server.attach(None) == 0:
    sys.exit("cannot listen")
GLib.unix_signal_add(GLib.PRIORITY_HIGH, signal.SIGUSR1, toggle)
GLib.unix_signal_add(GLib.PRIORITY_HIGH, signal.SIGTERM, loop.quit)
print("ready", server.get_bound_port(), flush=True)
loop.run()
