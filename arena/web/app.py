"""The application of the web process: the routes of its modules, behind the checks of `security`."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from importlib import import_module
from importlib.util import find_spec

from starlette.applications import Starlette

from arena.web.security import Security
from arena.web.server import Server

_NAMES = "home static_files gate seats runs connect"
_MODULES = [import_module(f"arena.web.{name}") for name in _NAMES.split() if find_spec(f"arena.web.{name}")]


def create_app(server: Server) -> Security:
    """Each module may have `routes(server)`, a list, and `running(server)`, an asynchronous context manager.

    The latter is entered when the web process starts, and left when it stops.
    """

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        async with AsyncExitStack() as stack:
            for module in _MODULES:
                if hasattr(module, "running"):
                    await stack.enter_async_context(module.running(server))
            yield

    routes = [route for module in _MODULES if hasattr(module, "routes") for route in module.routes(server)]
    return Security(Starlette(routes=routes, lifespan=lifespan), server)
