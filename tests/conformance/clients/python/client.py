"""A game with the package agones-python-sdk: does the steps that the command line names, and prints a line for each."""

import json
import os
import sys
import threading
import time

import urllib3
from agones_python_sdk import ApiClient, Configuration, SDKApi
from agones_python_sdk.exceptions import ApiException
from agones_python_sdk.models.sdk_duration import SdkDuration
from agones_python_sdk.models.sdk_key_value import SdkKeyValue
from agones_python_sdk.models.stream_result_of_sdk_game_server import StreamResultOfSdkGameServer

PATIENCE_S = 30
PAUSE_S = 0.05

# The server may come up later than the game.
configuration = Configuration(
    host=f"http://localhost:{os.environ.get('AGONES_SDK_HTTP_PORT', '9358')}",
    retries=urllib3.Retry(total=60, connect=60, backoff_factor=0.1, backoff_max=0.5),
)
sdk = SDKApi(ApiClient(configuration))
watched = []


def until(look):
    """The first value that is there."""
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        found = look()
        if found:
            return found
        time.sleep(PAUSE_S)
    return "too late"


def read_watch():
    """The package reads a whole answer, which a watch never has; without preloading it gives the stream."""
    stream = sdk.watch_game_server_without_preload_content()
    text = b""
    for chunk in stream.stream(None):
        text += chunk
        *lines, text = text.split(b"\n")
        watched.extend(StreamResultOfSdkGameServer.from_json(line).result for line in lines)


def watch():
    threading.Thread(target=read_watch, daemon=True).start()
    return until(lambda: watched and watched[0].object_meta.uid)


def state(wanted):
    return until(lambda: sdk.get_game_server().status.state == wanted and wanted)


def seen(wanted):
    return until(lambda: any(server.status.state == wanted for server in watched) and wanted)


def timestamp_label():
    created = sdk.get_game_server().object_meta.creation_timestamp
    sdk.set_label(SdkKeyValue(key="timestamp", value=created))
    return until(lambda: sdk.get_game_server().object_meta.labels.get("agones.dev/sdk-timestamp"))


def uid_annotation():
    sdk.set_annotation(SdkKeyValue(key="uid", value=watched[0].object_meta.uid))
    return until(lambda: sdk.get_game_server().object_meta.annotations.get("agones.dev/sdk-uid"))


def ok(_):
    return "ok"


STEPS = {
    "gameserver": lambda: sdk.get_game_server().object_meta.name,
    "watch": watch,
    "watched": seen,
    "state": state,
    "ready": lambda: ok(sdk.ready({})),
    "allocate": lambda: ok(sdk.allocate({})),
    "reserve": lambda seconds: ok(sdk.reserve(SdkDuration(seconds=seconds))),
    "health": lambda: ok(sdk.health({})),
    "shutdown": lambda: ok(sdk.shutdown({})),
    "label": lambda key, value: ok(sdk.set_label(SdkKeyValue(key=key, value=value))),
    "timestamp-label": timestamp_label,
    "uid-annotation": uid_annotation,
}

for step in sys.argv[1:]:
    name, *words = step.split(" ")
    try:
        print(STEPS[name](*words), flush=True)
    except ApiException as error:
        told = json.loads(error.body)
        print(f"refused {told['code']} {told['message']}", flush=True)
