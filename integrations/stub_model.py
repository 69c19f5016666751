"""A stand-in for a language model: a server with the chat interface of OpenAI that answers from the prompt alone.

The last message of the user is read back into a situation, and a policy chooses the answer. It needs no network.
Run: ``python integrations/stub_model.py --policy champion --port 8765``
"""

from __future__ import annotations

import argparse
import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import persian_rummy_env
from persian_rummy_env.text.prompt_player import PromptPlayer


def text_of(content: Any) -> str:
    """The text of a message, which may be a list of parts."""
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content)


def make_server(player: PromptPlayer, port: int = 0) -> ThreadingHTTPServer:
    """The server, on loopback; ``serve_forever`` serves. Port 0 takes a free one (``server_port``)."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            said = [text_of(one["content"]) for one in request["messages"] if one["role"] == "user"]
            message = {"role": "assistant", "content": player.answer(said[-1])}
            if request.get("stream"):
                self.stream(request, message)
            else:
                self.send(self.reply(request, "chat.completion", message=message), "application/json")

        def reply(self, request: dict[str, Any], kind: str, finish: str | None = "stop", **choice: Any) -> str:
            usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
            made = {"id": "stub", "object": kind, "created": 0, "model": request["model"], "usage": usage}
            return json.dumps({**made, "choices": [{"index": 0, "finish_reason": finish, **choice}]})

        def stream(self, request: dict[str, Any], message: dict[str, str]) -> None:
            kind = "chat.completion.chunk"
            chunks = [self.reply(request, kind, None, delta=message), self.reply(request, kind, delta={}), "[DONE]"]
            self.send("".join(f"data: {chunk}\n\n" for chunk in chunks), "text/event-stream")

        def send(self, text: str, kind: str) -> None:
            body = text.encode()
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args: Any) -> None:
            """Be silent."""

    return ThreadingHTTPServer(("127.0.0.1", port), Handler)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--policy", default="champion")
    parser.add_argument("--port", type=int, default=8765)
    args = parser.parse_args()
    make_server(PromptPlayer(persian_rummy_env.load(args.policy)), args.port).serve_forever()


if __name__ == "__main__":
    main()
