#!/usr/bin/env python3
"""A car for the race: a small HTTP server. Python 3.9 or newer, nothing to install.

    python3 car.py --listen 127.0.0.1:8080 --instance i-0abc --secret mysecret --ai-url http://127.0.0.1:8081/action

Numbers such as C-10 are those of the contract. Your own ideas go in the part "decide here".
"""
import argparse, hashlib, hmac, json, os, re, signal, socket, socketserver, sys, threading
from collections import OrderedDict
from http.server import BaseHTTPRequestHandler
from urllib.parse import parse_qs, unquote, urlsplit

KINDS = ("engine", "pilot", "weapon")

# ---- decide here -----------------------------------------------------------------------------------------------------
# car.square is where the car is, car.count("engine") how many engines it has. Be quick: an answer after 2 s is an
# error (C-21). If one of these functions fails, the answer is no, and the error goes to stderr.

def wreck(car):
    """C-12: there is a wreck. True searches it."""
    return True

def mine(car):
    """C-13: there is a minefield. True drives through it."""
    return False

def garage(car, prices):
    """C-14: prices is {"engine": 2, "pilot": 1, "weapon": 2} in dollars. Answer a kind, or "none"."""
    if sum(car.count(kind) for kind in KINDS) >= 10:
        return "none"
    return "pilot" if car.count("pilot") == 0 else "engine"

def fight(car, other_team):
    """C-15: a car of this team (a number) is here. True wants to fight."""
    return car.count("weapon") >= 2

# The car's S3 bucket (C-1), SQS queue (C-2) and DynamoDB table (C-3). Put the real names here.
RESOURCES = {"engine": "{instance}-engines", "pilot": "{instance}-pilots", "weapon": "{instance}-weapons"}

# ---- the car: what the contract asks ---------------------------------------------------------------------------------

MAX_BODY = 64 * 1024    # bytes; a larger body is answered by 413 (C-21)
MAX_MODULES = 1000      # of one kind: a limit of this car, so that no request can fill its memory
MAX_NUMBER = 2 ** 32 - 1
MAX_NAME = 1024         # bytes in UTF-8, as for a key in S3
MAX_REMEMBERED = 1000   # answers kept for requests that are sent again (C-20)
OK = {"res": "ok"}

class Refused(Exception):
    """A request that is answered by 4xx and a reason (C-19). It is raised before anything is changed."""
    def __init__(self, status, reason, allow=None):
        self.answer = status, {"res": "error", "reason": reason}, allow

class Car:
    def __init__(self, options):
        self.instance, self.secret, self.ai_url = options.instance, options.secret, options.ai_url
        self.square, self.in_race = 0, True
        self.modules = {kind: {} for kind in KINDS}     # kind -> its names, in the order in which the car got them
        for kind in KINDS:
            self.set_count(kind, getattr(options, kind + "s"))
        self.remembered = OrderedDict()                 # request id -> (the request, its answer)
        self.lock = threading.Lock()                    # the game master asks one at a time (C-23), others may not

    def count(self, kind):
        return len(self.modules[kind])

    def respond(self, method, target, headers, body):
        """First the secret, then the request id (C-20), then the request. Gives (status, reply, methods allowed)."""
        def header(name):
            return (headers.get(name) or "").strip().encode("latin-1", "replace")
        if self.secret and not hmac.compare_digest(header("X-EACC-SECRET"), self.secret.encode()):
            return Refused(401, "wrong X-EACC-SECRET").answer
        request_id = hashlib.sha256(header("X-EACC-REQUEST-ID")).digest()      # digests: short, whatever is sent
        request = hashlib.sha256(f"{method} {target}\n".encode("latin-1", "replace") + body).digest()
        with self.lock:
            known, answer = self.remembered.get(request_id, (request, None))
            if known != request:
                return Refused(409, "this X-EACC-REQUEST-ID was another request").answer
            if answer is None:                          # otherwise sent again: the same answer, nothing done twice
                try:
                    answer = 200, self.act(method, target, body), None
                except Refused as no:
                    answer = no.answer
                if header("X-EACC-REQUEST-ID"):
                    self.remembered[request_id] = request, answer
                if len(self.remembered) > MAX_REMEMBERED:
                    self.remembered.popitem(last=False)     # forget the oldest
            return answer

    def act(self, method, target, body):
        path, query = split_target(target)
        methods = self.methods(path, query, body)
        if not methods:
            raise Refused(404, "no such path")
        if method not in methods:
            raise Refused(405, "this path takes " + ", ".join(methods), allow=", ".join(methods))
        return methods[method]()

    def methods(self, path, query, body):
        """What may be done at this path: method -> function. Nothing: there is no such path."""
        def res(value):
            return {"res": value}                       # C-19
        fixed = {
            ("state",): {"GET": self.state, "PATCH": lambda: self.drive(body, back=True), "DELETE": self.leave},
            ("state", "position"): {"PUT": lambda: self.drive(body, back=False)},
            ("event", "wreck"): {"GET": lambda: res(bool(decide(False, wreck, self)))},
            ("event", "mine"): {"GET": lambda: res(bool(decide(False, mine, self)))},
            ("event", "garage"): {"POST": lambda: res(self.choose(body))},
            ("fight", "shouldfight"): {"GET": lambda: res(bool(decide(False, fight, self, team_of(query))))},
            ("fight", "iaurl"): {"GET": lambda: res(self.ai_url)},
        }
        kind = path[0]
        if path in fixed or kind not in KINDS:
            return fixed.get(path)
        if len(path) == 1:
            return {"GET": lambda: res(RESOURCES[kind].replace("{instance}", self.instance)),
                    "PATCH": lambda: self.recount(kind, body), "POST": lambda: self.add(kind, body)}
        if len(path) == 2 and path[1]:
            delete = {"DELETE": lambda: self.drop(kind, path[1])}       # a module may be called "count", too
            return {"GET": lambda: res(self.count(kind)), **delete} if path[1] == "count" else delete

    def state(self):                                    # C-5, the only answer without "res"
        return {"name": self.instance, "square": self.square, "modules": {kind: self.count(kind) for kind in KINDS}}

    def drive(self, body, back):                        # C-6 and C-7; only C-6 puts a car back into the race (C-8)
        self.square = number(fields(body), "square", MAX_NUMBER)
        self.in_race = self.in_race or back
        return OK

    def leave(self):                                    # C-8; the car goes on answering, and keeps what it has
        self.in_race = False
        return OK

    def recount(self, kind, body):                      # C-9
        self.set_count(kind, number(fields(body), "count", MAX_MODULES))
        return OK

    def set_count(self, kind, count):
        names, free = self.modules[kind], 1
        while len(names) > count:
            names.popitem()                             # the module that the car got last
        while len(names) < count:
            names.setdefault(f"{kind}-{free}", True)    # the smallest free names: engine-1, engine-2, …
            free += 1

    def add(self, kind, body):                          # C-10
        name, names = text(fields(body), "name"), self.modules[kind]
        if name not in names and len(names) >= MAX_MODULES:
            raise Refused(409, f"this car can't hold more than {MAX_MODULES} of a kind")
        names.setdefault(name, True)                    # a name that is there changes nothing
        return OK

    def drop(self, kind, name):                         # C-11
        if name not in self.modules[kind]:
            raise Refused(404, f"there is no {kind} of this name")
        del self.modules[kind][name]
        return OK

    def choose(self, body):                             # C-14
        data = fields(body)
        choice = decide("none", garage, self, {kind: number(data, kind, MAX_NUMBER) for kind in KINDS})
        return choice if choice in KINDS else "none"

def decide(otherwise, function, *arguments):
    """Ask one of the functions above; a mistake in it must not cost the car its answer."""
    try:
        return function(*arguments)
    except Exception as error:
        print(f"{function.__name__} failed: {error!r}", file=sys.stderr, flush=True)
        return otherwise

def split_target(target):
    """'/engine/my%20name?x=1' -> (('engine', 'my name'), 'x=1'). First split, then decode: %2F is part of a name."""
    path, _, query = re.sub(r"\A(?i:https?)://[^/?]*", "", target).partition("?")
    if not path.startswith("/"):
        raise Refused(404, "no such path")
    try:
        if path.isascii() and not re.search(r"%(?![0-9A-Fa-f]{2})", path):
            return tuple(unquote(part, errors="strict") for part in path[1:].split("/")), query
    except UnicodeDecodeError:
        pass
    raise Refused(400, "the path is not percent-encoded UTF-8")

def team_of(query):                                     # C-15
    values = parse_qs(query, keep_blank_values=True).get("id", [])
    if len(values) != 1 or not re.fullmatch("[0-9]{1,10}", values[0]) or int(values[0]) > MAX_NUMBER:
        raise Refused(400, "id must be there once, and be the number of a team")
    return int(values[0])

def fields(body):
    """The body as a JSON object. Unknown fields are ignored, one that comes twice is refused."""
    def once(pairs):
        if len(dict(pairs)) != len(pairs):
            raise ValueError("a field is there twice")
        return dict(pairs)
    def constant(word):
        raise ValueError(f"{word} is not JSON")
    try:
        data = json.loads(body.decode("utf-8"), object_pairs_hook=once, parse_constant=constant)
    except (ValueError, RecursionError) as error:       # ValueError: not JSON, or not UTF-8
        raise Refused(400, f"the body is not JSON: {str(error)[:200]}") from None
    if not isinstance(data, dict):
        raise Refused(400, "the body must be a JSON object")
    return data

def number(data, field, largest):
    value = data.get(field)
    if type(value) is not int or not 0 <= value <= largest:     # not isinstance: in Python True is an int as well
        raise Refused(400, f"{field} must be a whole number from 0 to {largest}")
    return value

def text(data, field):
    value = data.get(field)
    try:
        if isinstance(value, str) and 1 <= len(value.encode("utf-8")) <= MAX_NAME:
            return value
    except UnicodeEncodeError:                          # half a character, such as "\ud800"
        pass
    raise Refused(400, f"{field} must be a text of 1 to {MAX_NAME} bytes")

# ---- HTTP ------------------------------------------------------------------------------------------------------------

class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"       # keep-alive (C-21)
    disable_nagle_algorithm = True      # TCP_NODELAY: an answer never waits for an ACK
    timeout = 600                       # seconds; a connection that is silent for longer is closed

    def __getattr__(self, name):        # the base class calls do_GET, do_PUT, …: any method at all comes to serve()
        if name.startswith("do_"):
            return self.serve
        raise AttributeError(name)

    def serve(self):
        lengths = self.headers.get_all("Content-Length", ["0"])
        if "Transfer-Encoding" in self.headers:
            return self.send_error(411, "send the body with Content-Length")
        if len(lengths) > 1 or not re.fullmatch("[0-9]{1,18}", lengths[0].strip()):
            return self.send_error(400, "Content-Length must be one number")
        length = int(lengths[0])
        if length > MAX_BODY:
            far_too_long = length > 16 * MAX_BODY
            self.send(*Refused(413, f"a body has at most {MAX_BODY} bytes").answer, close=far_too_long)
            return self.drain(None if far_too_long else length)
        body = self.rfile.read(length)  # also where it is not needed: the next request comes after it
        if len(body) < length:
            self.close_connection = True            # the sender went away: nothing is done
            return
        try:
            answer = self.server.car.respond(self.command, self.path, self.headers, body)
        except Exception as error:      # a mistake in this file: say so, and stay up
            print(f"{self.command} failed: {error!r}", file=sys.stderr, flush=True)
            answer = Refused(500, "the car has a bug").answer
        self.send(*answer)

    def send(self, status, reply, allow=None, close=False):
        self.close_connection = self.close_connection or close
        body = json.dumps(reply).encode()
        head = (f"HTTP/1.1 {status} {self.responses[status][0]}\r\nContent-Type: application/json\r\n"
                f"Content-Length: {len(body)}\r\n" + (f"Allow: {allow}\r\n" if allow else "") +
                f"Connection: {'close' if self.close_connection else 'keep-alive'}\r\n\r\n")
        self.wfile.write(head.encode() + (b"" if self.command == "HEAD" else body))     # one write for an answer

    def send_error(self, code, message=None, explain=None):
        """What can't be read as HTTP (the base class calls it, too): the sender's mistake, so never 5xx."""
        self.send(*Refused(code if code < 500 else 400, str(message or "bad request")).answer, close=True)
        self.drain()

    def drain(self, left=None):
        """Read away what still comes: closing the connection before that could destroy the answer."""
        if left is None:                # how much is not known: as long as something comes, but not for ever
            self.connection.shutdown(socket.SHUT_WR)
            self.connection.settimeout(1)
            left = 1024 * MAX_BODY
        while left > 0:
            piece = self.rfile.read1(min(left, MAX_BODY))
            if not piece:
                self.close_connection = True
                return
            left -= len(piece)

class Server(socketserver.ThreadingMixIn, socketserver.TCPServer):
    allow_reuse_address = True
    daemon_threads = True

    def handle_error(self, request, client_address):    # no traceback when somebody goes away
        if not isinstance(sys.exc_info()[1], OSError):
            print(f"connection failed: {sys.exc_info()[1]!r}", file=sys.stderr, flush=True)

Handler.log_message = lambda self, *arguments: None     # no line for each request

def main():
    def address(value):
        host, _, port = value.rpartition(":")
        if not re.fullmatch("[0-9]{1,5}", port) or int(port) > 65535:
            raise argparse.ArgumentTypeError("must be HOST:PORT")
        return host or "0.0.0.0", int(port)
    def url(value):                                     # C-16
        if urlsplit(value).scheme not in ("http", "https") or not urlsplit(value).hostname:
            raise argparse.ArgumentTypeError("must begin with http:// or https:// and a host")
        return value
    def count(value):
        if not re.fullmatch("[0-9]{1,4}", value) or int(value) > MAX_MODULES:
            raise argparse.ArgumentTypeError(f"must be a whole number from 0 to {MAX_MODULES}")
        return int(value)
    def stop(*_):
        raise KeyboardInterrupt

    parser = argparse.ArgumentParser(description="A car for the race. CAR_AI_URL in the environment is --ai-url, etc.")
    for name, default, kind, about in (
            ("listen", "127.0.0.1:8080", address, "HOST:PORT; port 0 takes a free one"),
            ("instance", "i-0abc", str, "the name of the car"),
            ("secret", "", str, "the team's secret; empty: whoever asks is answered"),
            ("ai-url", "http://127.0.0.1:8081/action", url, "where the duel AI is"),
            ("engines", "4", count, "at the start"), ("pilots", "1", count, "at the start"),
            ("weapons", "3", count, "at the start")):
        variable = "CAR_" + name.upper().replace("-", "_")
        parser.add_argument("--" + name, default=os.environ.get(variable, default), type=kind, help=about)
    options = parser.parse_args()
    try:
        signal.signal(signal.SIGTERM, stop)
        signal.signal(signal.SIGINT, stop)
        with Server(options.listen, Handler) as server:
            server.car = Car(options)
            host, port = server.server_address
            print(f"car {options.instance} listens on http://{host}:{port}", flush=True)
            server.serve_forever()
    except KeyboardInterrupt:
        pass
    except OSError as error:
        sys.exit("can't listen on {}:{}: {}".format(*options.listen, error))

if __name__ == "__main__":
    main()
