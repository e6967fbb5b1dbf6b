#!/usr/bin/python3
"""A server for the checks that streams are pushed to: GStreamer's RTSP server with RECORD at /live. Prints `ready PORT`
when it listens, and writes what comes to a transport stream.
"""
import argparse
import signal
import sys

import gi

gi.require_version("Gst", "1.0")
gi.require_version("GstRtspServer", "1.0")
from gi.repository import GLib, Gst, GstRtspServer  # noqa: E402

parser = argparse.ArgumentParser()
parser.add_argument("file")
parser.add_argument("--port", type=int, default=0)
parser.add_argument("--codec", choices=["h264", "h265"], default="h264")
parser.add_argument("--user")
parser.add_argument("--password")
options = parser.parse_args()

Gst.init(None)
factory = GstRtspServer.RTSPMediaFactory()
factory.set_transport_mode(GstRtspServer.RTSPTransportMode.RECORD)
factory.set_launch(
    f"( rtp{options.codec}depay name=depay0 ! {options.codec}parse config-interval=-1 ! mpegtsmux ! "
    f"filesink location={options.file} sync=false )"
)
factory.set_latency(200)
server = GstRtspServer.RTSPServer()
server.set_address("127.0.0.1")
server.set_service(str(options.port))
if options.user:
    auth = GstRtspServer.RTSPAuth()
    token = GstRtspServer.RTSPToken()
    token.set_string("media.factory.role", "user")
    permissions = GstRtspServer.RTSPPermissions()
    permissions.add_permission_for_role("user", "media.factory.access", True)
    permissions.add_permission_for_role("user", "media.factory.construct", True)
    factory.set_permissions(permissions)
    auth.add_digest(options.user, options.password, token)
    from gi.repository import GstRtsp

    auth.set_supported_methods(GstRtsp.RTSPAuthMethod.DIGEST)
    server.set_auth(auth)
server.get_mount_points().add_factory("/live", factory)
loop = GLib.MainLoop()
if server.attach(None) == 0:
    sys.exit("cannot listen")
GLib.unix_signal_add(GLib.PRIORITY_HIGH, signal.SIGTERM, loop.quit)
print("ready", server.get_bound_port(), flush=True)
loop.run()
