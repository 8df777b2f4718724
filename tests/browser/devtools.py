"""A headless Chromium over its DevTools pipe: no port, no library. Messages are JSON, each ended by a NUL byte."""

import json
import os
import select
import subprocess
import tempfile
import time

FLAGS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--hide-scrollbars",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-extensions",
    "--remote-debugging-pipe",
]


class Browser:
    """One browser with a profile of its own, both gone at the end of the `with`."""

    def __init__(self, program):
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        theirs_in, self.out = os.pipe()
        self.inp, theirs_out = os.pipe()

        def wire():
            # The pipe is expected at 3 and 4; both ends are moved away first, so that neither covers the other.
            a, b = os.dup(theirs_in), os.dup(theirs_out)
            os.dup2(a, 3)
            os.dup2(b, 4)

        arguments = [program, *FLAGS, "--user-data-dir=" + self.profile.name, "about:blank"]
        self.process = subprocess.Popen(
            arguments, preexec_fn=wire, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        os.close(theirs_in)
        os.close(theirs_out)
        self.buffer, self.number, self.events = b"", 0, []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.call("Browser.close")
            self.process.wait(10)
        except (RuntimeError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        self.profile.cleanup()

    def call(self, method, session=None, **parameters):
        """Sends a command and waits for its result; what happens meanwhile is kept in `events`."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        os.write(self.out, json.dumps(message).encode() + b"\0")
        end = time.monotonic() + 30
        while True:
            answer = self.read(end)
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]
            self.events.append(answer)

    def wait_for(self, method, session):
        """Waits for an event."""
        end = time.monotonic() + 30
        while not any(e.get("method") == method and e.get("sessionId") == session for e in self.events):
            self.events.append(self.read(end))

    def read(self, end):
        while b"\0" not in self.buffer:
            if not select.select([self.inp], [], [], max(0, end - time.monotonic()))[0]:
                raise RuntimeError("the browser does not answer")
            part = os.read(self.inp, 1 << 16)
            if not part:
                raise RuntimeError("the browser is gone")
            self.buffer += part
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)
