"""The web application: pages, requests and one WebSocket a seat. Nothing here knows a rule of the game."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import urlsplit

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import ClientDisconnect, HTTPConnection, Request
from starlette.responses import HTMLResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState

from ...records.record import dumps
from ..replay_page import loading_page, security_policy
from .limits import Allowance, Guard, Limits, counted_address
from .messages import MAX_BYTES, Join, MessageError, check_fields, json_object, parse, player_name
from .page import STATIC, make_page
from .replays import Replays
from .room import Room
from .rooms import Lobby
from .seats import Link

SECONDS_TO_JOIN = 10.0
SWEEP_EVERY = 30.0
BURST, PER_SECOND = 40.0, 20.0
"""Messages of one connection: so many at once, and so many a second."""
REFUSED, TRY_LATER = 1008, 1013
"""Close codes: against the rules of the house; too many connections."""
STATUS = {
    "full": 503, "too many": 429, "no table": 404, "too long": 413, "token": 403, "origin": 403, "not over": 409,
    "taken": 409,
}  # fmt: skip
HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
        "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
}


def make_app(lobby: Lobby, hosts: list[str], limits: Limits | None = None) -> Starlette:
    """The application.

    Args:
        lobby: its tables.
        hosts: names that the server may be called by; a request for another is refused, so that a foreign page cannot
            reach it by a name of its own.
        limits: to what one address may take; None: in time alone.
    """
    guard = Guard(limits or Limits.in_time_alone())

    @contextlib.asynccontextmanager
    async def life(_: Starlette) -> AsyncIterator[dict[str, Any]]:
        task = asyncio.create_task(_sweep(lobby))
        yield {"guard": guard}  # the protocols find it there
        task.cancel()
        await lobby.close()

    app = Starlette(
        routes=[
            Route("/", page),
            Route("/api/lobby", show_lobby),
            Route("/api/tables", open_table, methods=["POST"]),
            Route("/api/tables/{table}/join", join_table, methods=["POST"]),
            Route("/api/tables/{table}/record", get_record),
            Route("/api/tables/{table}/replay", open_replay, methods=["POST"]),
            Route("/replay/{key}", show_replay),
            WebSocketRoute("/ws/{table}", sit),
            Mount("/static", StaticFiles(directory=STATIC)),
        ],
        exception_handlers={MessageError: _refuse, ClientDisconnect: _gone},
        middleware=[
            Middleware(_Requests, guard=guard),
            Middleware(TrustedHostMiddleware, allowed_hosts=hosts),
            Middleware(_Headers),
        ],
        lifespan=life,
    )
    app.state.lobby = lobby
    app.state.guard = guard
    app.state.replays = Replays(lobby)
    app.state.page = make_page()
    return app


async def _sweep(lobby: Lobby) -> None:
    while True:
        await asyncio.sleep(SWEEP_EVERY)
        lobby.sweep()


class _Requests:
    """Refuses the requests of an address that sends too many; WebSockets are limited by their messages."""

    def __init__(self, app: ASGIApp, guard: Guard) -> None:
        self.app = app
        self.guard = guard

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        app = self.app
        if scope["type"] == "http" and not self.guard.requests.take(_address(scope)):
            text = "too many requests from your address: try again in a few seconds"
            app = JSONResponse({"error": "too many", "text": text}, 429, headers={"retry-after": "5"})
        await app(scope, receive, send)


def _address(scope: Scope) -> str:
    """Who is counted as having sent a request; behind a trusted proxy, the client that it names."""
    return counted_address((scope.get("client") or (None,))[0])


class _Headers:
    """Puts ``HEADERS`` on every answer, but those that it has of its own."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                own = {name.lower() for name, _ in message["headers"]}
                security_headers = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
                message["headers"] = [*message["headers"], *(one for one in security_headers if one[0] not in own)]
            await send(message)

        await self.app(scope, receive, with_headers if scope["type"] == "http" else send)


async def _refuse(_: Request, error: Exception) -> Response:
    assert isinstance(error, MessageError)
    return JSONResponse({"error": error.code, "text": str(error)}, STATUS.get(error.code, 400))


async def _gone(_: Request, __: Exception) -> Response:
    """The client went away in the middle of its request: nobody hears the answer."""
    return Response(status_code=400)


# Requests ----------------------------------------------------------------------------------------------------------


def _lobby(connection: HTTPConnection) -> Lobby:
    return connection.app.state.lobby


def _check_origin(connection: HTTPConnection) -> None:
    """Refuse what the page of another site sends; programs that are no browsers send no origin."""
    origin = connection.headers.get("origin")
    if origin is None:
        return
    try:
        netloc = urlsplit(origin).netloc
    except ValueError:  # such as a bracket without its other half
        netloc = None
    if netloc is None or netloc != connection.headers.get("host"):
        raise MessageError("origin", f"origin {origin[:100]!r}: not the page of this server")


async def _body(request: Request, wanted: dict[str, type]) -> dict[str, Any]:
    """The JSON object of a request from our own page."""
    _check_origin(request)
    if request.headers.get("content-type", "").split(";")[0].strip() != "application/json":
        raise MessageError("malformed", "expected the content type application/json")
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > MAX_BYTES:
            raise MessageError("too long", f"expected at most {MAX_BYTES} bytes")
    fields = json_object(body)
    check_fields(fields, wanted)
    return fields


async def page(request: Request) -> Response:
    """The page; all else is asked for by its script."""
    return HTMLResponse(request.app.state.page)


async def show_lobby(request: Request) -> Response:
    """The policies on offer, the rules, and the tables with a free seat."""
    lobby = _lobby(request)
    return JSONResponse(
        {"policies": list(lobby.thinker.policies), "rules": lobby.rules.as_dict(), "tables": lobby.listing()}
    )


async def open_table(request: Request) -> Response:
    """Open a table and sit down at its first seat for a person."""
    fields = await _body(request, {"seats": list, "name": str, "draw": bool})
    name = player_name(fields["name"])
    address = _address(request.scope)
    if not request.app.state.guard.openings.take(address):
        raise MessageError("too many", "too many tables opened from your address: try again in a minute")
    room = _lobby(request).open(fields["seats"], fields["draw"], address)
    seat = next(number for number, one in enumerate(room.seats) if one.free)
    return _seated(room, seat, name)


async def join_table(request: Request) -> Response:
    """Sit down at a free seat."""
    fields = await _body(request, {"seat": int, "name": str})
    room = _lobby(request).room(request.path_params["table"])
    return _seated(room, fields["seat"], player_name(fields["name"]))


def _seated(room: Room, seat: int, name: str) -> Response:
    return JSONResponse({"table": room.name, "seat": seat, "token": room.take_seat(seat, name)}, 201)


async def get_record(request: Request) -> Response:
    """The record of a finished game, for those who played it."""
    room = _room_played(request)
    headers = {"content-disposition": f'attachment; filename="persian-rummy-{room.table.seed}.jsonl"'}
    return Response(dumps(room.record()) + "\n", media_type="application/jsonl", headers=headers)


async def open_replay(request: Request) -> Response:
    """The address of the replay page of a finished game, for those who played it, to go to and to hand on."""
    await _body(request, {})
    return JSONResponse({"url": request.app.state.replays.address(_room_played(request))}, 201)


async def show_replay(request: Request) -> Response:
    """The replay page of a finished game. Its beginning is sent at once, so that nobody looks at an empty window."""
    replays, key = request.app.state.replays, request.path_params["key"]
    replays.room(key)

    async def chunks() -> AsyncIterator[str]:
        yield loading_page()
        yield (await replays.page(key)).removeprefix(loading_page())

    headers = {"content-security-policy": f"{security_policy()}; frame-ancestors 'none'"}
    return StreamingResponse(chunks(), media_type="text/html", headers=headers)


def _room_played(request: Request) -> Room:
    """The table of a request, if it names the token of one of its seats."""
    room = _lobby(request).room(request.path_params["table"])
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() != "bearer" or room.seat_of(token) is None:
        raise MessageError("token", "expected the token of a seat of this table")
    return room


# A seat ------------------------------------------------------------------------------------------------------------


async def sit(socket: WebSocket) -> None:
    """The connection of one seat: its token first, then what it plays; it is sent what the seat may see."""
    tally, address = socket.app.state.guard.sockets, _address(socket.scope)
    entered = tally.enter(address)
    try:
        with contextlib.suppress(WebSocketDisconnect):
            try:
                _check_origin(socket)
            except MessageError:
                await socket.close(REFUSED)
                return
            await socket.accept()
            if entered:
                await _serve_seat(socket)
            else:
                await socket.close(TRY_LATER)
    finally:
        if entered:
            tally.leave(address)


async def _serve_seat(socket: WebSocket) -> None:
    try:
        room, seat = await asyncio.wait_for(_join(socket), SECONDS_TO_JOIN)
    except MessageError as error:
        await _send(socket, _error(error))
        await socket.close(REFUSED)
        return
    except TimeoutError:
        await socket.close(REFUSED)
        return
    link = room.connect(seat)
    tasks = [
        asyncio.create_task(_write(socket, room, seat, link)),
        asyncio.create_task(_read(socket, room, seat, link)),
    ]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        room.disconnect(seat, link)
        for task in tasks:
            task.cancel()
        ends = await asyncio.gather(*tasks, return_exceptions=True)
    for end in ends:
        if isinstance(end, Exception) and not isinstance(end, WebSocketDisconnect):
            raise end  # a fault of ours, which is to be seen in the log


async def _send(socket: WebSocket, message: dict[str, Any]) -> None:
    """Send a message, unless the other task of the seat has closed the connection."""
    if socket.application_state is not WebSocketState.CONNECTED:
        raise WebSocketDisconnect
    await socket.send_json(message)


def _error(error: MessageError) -> dict[str, str]:
    return {"type": "error", "code": error.code, "text": str(error)}


async def _close(socket: WebSocket, code: int) -> None:
    if socket.application_state is WebSocketState.CONNECTED:
        await socket.close(code)


async def _frame(socket: WebSocket) -> str | bytes | None:
    """The next frame; bytes where it is no text."""
    message = await socket.receive()
    if message["type"] == "websocket.disconnect":
        raise WebSocketDisconnect(message.get("code", 1000))
    return message.get("text") if message.get("text") is not None else message.get("bytes")


async def _join(socket: WebSocket) -> tuple[Room, int]:
    message = parse(await _frame(socket))
    if not isinstance(message, Join):
        raise MessageError("token", "expected to be told first who is there: type join, with a token")
    room = _lobby(socket).room(socket.path_params["table"])
    seat = room.seat_of(message.token)
    if seat is None:
        raise MessageError("token", "expected the token of a seat of this table")
    return room, seat


async def _write(socket: WebSocket, room: Room, seat: int, link: Link) -> None:
    """Send what waits. The table is sent as it stands when there is room for it, so nothing piles up."""
    while True:
        await link.wake.wait()
        link.wake.clear()
        if link.code is not None:
            await _close(socket, link.code)
            return
        while link.replies:
            await _send(socket, link.replies.popleft())
        if link.stale:
            link.stale = False
            await _send(socket, room.snapshot(seat))


async def _read(socket: WebSocket, room: Room, seat: int, link: Link) -> None:
    """Do what a seat asks for; what it may not is answered, and changes nothing."""
    allowance = Allowance(BURST, PER_SECOND)
    while True:
        frame = await _frame(socket)
        if not allowance.take():
            await _close(socket, REFUSED)
            return
        try:
            message = parse(frame)
            if isinstance(message, Join):
                raise MessageError("unknown", "this connection has its seat already")
            answer = await room.obey(seat, message)
            if answer is not None:
                link.reply(answer)
        except MessageError as error:
            link.reply(_error(error))
            if error.code == "stale":
                link.table_changed()
