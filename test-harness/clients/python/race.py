"""A race from its creation to its final standings, by a client that holds no code of ours.

It knows the names of services, methods and fields as a person does who has read the protocol files. What they look
like on the wire, it learns from the server by reflection.

    GM_TOKEN=gm-admin-… race.py --server 127.0.0.1:7300 --car-secret s3cret \
        --car i-1=http://127.0.0.1:8081 --car i-2=http://127.0.0.1:8082

The cars run already. Exits with 0 if everything was as the protocol files say, with 1 if something was not.
"""

import argparse
import os
import sys
import threading
import uuid

import grpc
from google.protobuf import descriptor_pool, message_factory
from google.rpc import error_details_pb2, status_pb2
from grpc_reflection.v1alpha import reflection_pb2
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import ProtoReflectionDescriptorDatabase

CALL_SECONDS = 30
"""How long one call may take, and a stream from its beginning to its end."""
TURNS = 5
CHUNK = 16 * 1024
"""How much of an export is sent at a time, in bytes: so little that it is several messages. 1 MiB is allowed."""


class Wrong(Exception):
    """The server did something else than the protocol files say."""


def expect(is_so, words):
    """What should be so, in words."""
    if not is_so:
        raise Wrong(f"it should be so: {words}")


def equal(found, wanted, of_what):
    """What should be equal, and what it is of."""
    if found != wanted:
        raise Wrong(f"{of_what} should be {wanted!r}, and is {found!r}")


def said(text):
    print(f"python: {text}", flush=True)


def request_id():
    return str(uuid.uuid4())


class Service:
    """The methods of a service, by its descriptor: `service.GetRace(token, race_id=…)`."""

    def __init__(self, channel, pool, name):
        self._pool = pool
        for method in pool.FindServiceByName(name).methods:
            setattr(self, method.name, self._caller(channel, name, method))

    @staticmethod
    def _caller(channel, name, method):
        request = message_factory.GetMessageClass(method.input_type)
        response = message_factory.GetMessageClass(method.output_type)
        kinds = {
            (False, False): channel.unary_unary,
            (False, True): channel.unary_stream,
            (True, False): channel.stream_unary,
            (True, True): channel.stream_stream,
        }
        call = kinds[method.client_streaming, method.server_streaming](
            f"/{name}/{method.name}",
            request_serializer=request.SerializeToString,
            response_deserializer=response.FromString,
        )

        def ask(token=None, many=None, **fields):
            metadata = [("authorization", f"Bearer {token}")] if token else []
            what = (request(**each) for each in many) if method.client_streaming else request(**fields)
            return call(what, metadata=metadata, timeout=CALL_SECONDS)

        return ask


def refused(code, ask):
    """That a call is refused with this code, and what the details say: the reason, its metadata, the wrong fields."""
    try:
        answer = ask()
        # A stream is refused when it is read.
        for _ in answer if hasattr(answer, "__next__") else ():
            pass
    except grpc.RpcError as error:
        equal(error.code(), code, f"the code of the refusal ({error.details()})")
        trailers = dict(error.trailing_metadata())
        expect("grpc-status-details-bin" in trailers, f"{code} has grpc-status-details-bin")
        status = status_pb2.Status.FromString(trailers["grpc-status-details-bin"])
        equal(status.code, code.value[0], "the code in the details")
        info, bad = error_details_pb2.ErrorInfo(), error_details_pb2.BadRequest()
        for detail in status.details:
            for known in (info, bad):
                if detail.Is(known.DESCRIPTOR):
                    detail.Unpack(known)
        expect(info.domain == "gm" and info.reason, f"{code} has an ErrorInfo of the game master's")
        return info.reason, dict(info.metadata), [wrong.field for wrong in bad.field_violations]
    raise Wrong(f"it should be refused with {code}, and was not refused")


class Watch(threading.Thread):
    """A spectator without a token, who reads a race until it is over and nothing more comes."""

    def __init__(self, observer, race_id):
        super().__init__(daemon=True)
        self.events = []
        self.failure = None
        self._stream = observer.WatchRace(race_id=race_id, after=0)

    def run(self):
        is_over = False
        try:
            for message in self._stream:
                kind = message.WhichOneof("message")
                if kind == "event":
                    self.events.append(message.event)
                    is_over |= message.event.WhichOneof("event") == "race_finished"
                # The last score follows the end of the race, then there is only silence.
                elif is_over and kind == "heartbeat":
                    if message.heartbeat != len(self.events):
                        self.failure = f"the last of {len(self.events)} events is said to be {message.heartbeat}"
                    self._stream.cancel()
                    return
            self.failure = "WatchRace ended before the race did"
        except grpc.RpcError as error:
            self.failure = f"WatchRace ended with {error.code()}: {error.details()}"

    def all_events(self):
        self.join(CALL_SECONDS)
        expect(not self.is_alive(), "the spectator sees the end of the race in time")
        if self.failure:
            raise Wrong(self.failure)
        return self.events


def reflection(channel):
    """A pool that asks the server for what it does not have. That server speaks reflection v1 and v1alpha."""
    database = ProtoReflectionDescriptorDatabase(channel)
    by_v1alpha = sorted(database.get_services())
    # The library speaks v1alpha; v1 has the same messages under another name.
    ask = channel.stream_stream(
        "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo",
        request_serializer=reflection_pb2.ServerReflectionRequest.SerializeToString,
        response_deserializer=reflection_pb2.ServerReflectionResponse.FromString,
    )
    question = reflection_pb2.ServerReflectionRequest(list_services="*")
    answers = list(ask(iter([question]), timeout=CALL_SECONDS))
    by_v1 = sorted(service.name for service in answers[0].list_services_response.service)
    ours = ["gm.v1.AdminService", "gm.v1.ObserverService", "gm.v1.TeamService"]
    for listed, version in ((by_v1alpha, "v1alpha"), (by_v1, "v1")):
        missing = set(ours + ["grpc.health.v1.Health"]) - set(listed)
        equal(missing, set(), f"what reflection {version} does not list")
    said(f"reflection v1 and v1alpha list {', '.join(ours)}")
    return descriptor_pool.DescriptorPool(database), ours


def health(channel, pool, services):
    checker = Service(channel, pool, "grpc.health.v1.Health")
    for name in ["", *services]:
        answer = checker.Check(service=name)
        word = answer.DESCRIPTOR.fields_by_name["status"].enum_type.values_by_number[answer.status].name
        equal(word, "SERVING", f"the health of {name!r}")
    said("health is SERVING, in all and of each service")


def number(pool, enum, name):
    return pool.FindEnumTypeByName(f"gm.v1.{enum}").values_by_name[name].number


def race(arguments, token):
    # The server is asked itself, whatever proxy there is for others.
    channel = grpc.insecure_channel(arguments.server, options=[("grpc.enable_http_proxy", 0)])
    grpc.channel_ready_future(channel).result(CALL_SECONDS)
    pool, services = reflection(channel)
    health(channel, pool, services)
    admin, observer, team = (Service(channel, pool, f"gm.v1.{name}Service") for name in ("Admin", "Observer", "Team"))

    # A race whose turns are on the admin's word, and in which each car meets pirates in each turn: so there are duels.
    rules = {"turn_interval_seconds": 0, "max_turns": TURNS, "encounter_odds": {"pirates": 100}}
    create = {"request_id": request_id(), "title": "A race over gRPC", "rules": rules, "seed": 7}
    made = admin.CreateRace(token, **create)
    race_id = made.race.race_id
    expect(race_id and made.seed == 7, "the race has an id and its seed")
    expect(made.race.status == number(pool, "RaceStatus", "RACE_STATUS_PREPARING"), "a new race is preparing")
    again = admin.CreateRace(token, **create)
    expect(again.race.race_id == race_id, "the same request makes no second race")

    # What is wrong is said in details that any client can read.
    code = grpc.StatusCode
    reason, _, fields = refused(code.INVALID_ARGUMENT, lambda: admin.CreateRace(
        token, request_id=request_id(), title="", rules={"track_length": 0, "encounter_odds": {"pirates": 99}}))
    equal(reason, "INVALID_FIELDS", "the reason")
    equal(sorted(fields), ["rules.encounter_odds", "rules.track_length", "title"], "the list of wrong fields")
    reason, _, _ = refused(code.ALREADY_EXISTS, lambda: admin.CreateRace(token, **{**create, "title": "Another"}))
    equal(reason, "REQUEST_ID_USED", "the reason")
    reason, metadata, _ = refused(code.NOT_FOUND, lambda: observer.WatchRace(race_id="no-such-race"))
    equal((reason, metadata), ("RACE_NOT_FOUND", {"race_id": "no-such-race"}), "the reason with its metadata")
    refused(code.UNAUTHENTICATED, lambda: admin.ListRaces())
    refused(code.UNAUTHENTICATED, lambda: admin.ListRaces("nobody-has-this-token"))
    said("refusals carry ErrorInfo and BadRequest")

    watch = Watch(observer, race_id)
    watch.start()

    teams = []
    for name, (instance, url) in zip(("Ada", "Grace"), arguments.car):
        create = {"request_id": request_id(), "race_id": race_id, "name": name, "car_secret": arguments.car_secret}
        made = admin.CreateTeam(token, **create)
        expect(made.team_id == len(teams) + 1 and made.api_secret, f"{name} has an id and a secret")
        again = admin.CreateTeam(token, **create)
        expect((again.team_id, again.api_secret) == (made.team_id, ""), "a secret is shown once")
        answer = team.RegisterCar(made.api_secret, request_id=request_id(), instance=instance, url=url)
        equal(list(answer.reasons), [], f"the list of reasons to refuse {instance}")
        expect(answer.car.car.team_id == made.team_id and answer.car.url == url, "the car is the team's, at its URL")
        teams.append(made)
    refused(code.PERMISSION_DENIED, lambda: admin.ListRaces(teams[0].api_secret))
    refused(code.PERMISSION_DENIED, lambda: team.GetTeam(token))
    said("two teams have registered a car each, with their own secrets")

    started = admin.StartRace(token, request_id=request_id(), race_id=race_id)
    expect(started.race.status == number(pool, "RaceStatus", "RACE_STATUS_RUNNING"), "a started race is running")
    reason, metadata, _ = refused(code.FAILED_PRECONDITION, lambda: admin.StepTurn(
        token, request_id=request_id(), race_id=race_id, expected_turn=2))
    equal((reason, metadata), ("WRONG_TURN", {"next_turn": "1"}), "the reason with its metadata")
    for turn in range(1, TURNS + 1):
        step = {"request_id": request_id(), "race_id": race_id, "expected_turn": turn}
        stepped = admin.StepTurn(token, **step)
        equal(stepped.race.turn, turn, "the turn that is complete")
        equal(admin.StepTurn(token, **step).race.turn, turn, "the turn after the same step again")
    expect(stepped.race.status == number(pool, "RaceStatus", "RACE_STATUS_FINISHED"), "the race is over")
    expect(stepped.race.ending == number(pool, "RaceEnding", "RACE_ENDING_LAST_TURN"), "it was its last turn")
    reason, _, _ = refused(code.FAILED_PRECONDITION, lambda: admin.FinishRace(
        token, request_id=request_id(), race_id=race_id))
    said(f"{TURNS} turns were played; another end is refused as {reason}")

    events = watch.all_events()
    equal([event.sequence for event in events], list(range(1, len(events) + 1)), "the list of sequence numbers")
    kinds = [event.WhichOneof("event") for event in events]
    equal((kinds[0], kinds.count("turn_completed")), ("race_created", TURNS), "the first event and the count of turns")
    snapshot = observer.GetSnapshot(race_id=race_id).snapshot
    equal(snapshot.sequence, len(events), "the number of the snapshot's last event")
    expect(not snapshot.budgets and not snapshot.own_cars, "a spectator sees no budgets")
    first, *others = observer.ReplayRace(race_id=race_id)
    before = first.snapshot.sequence
    expect(first.HasField("snapshot") and first.snapshot.race.turn == 0, "a replay begins before the first turn")
    expect([message.event for message in others] == events[before:], "the replay shows what was watched")
    said(f"a spectator has seen {len(events)} events, and the replay shows them again")

    duel_events = [event for event in events if event.WhichOneof("event") == "duel_played"]
    expect(duel_events, "a duel was played")
    turn = duel_events[0].turn
    duel = observer.GetDuel(race_id=race_id, turn=turn, duel_no=1).duel
    expect(duel.turn == turn and len(duel.car_ids) == 2 and len(duel.dealt) == 2, "the duel has two sides")
    expect(len(duel.turns) >= 1 and duel.end, "the duel has turns and an end")
    own = team.GetTeam(teams[0].api_secret)
    expect(own.name == "Ada" and len(own.cars) == 1 and own.race.race_id == race_id, "a team sees its own")
    entries = []
    for message in team.WatchLog(teams[0].api_secret):
        if message.WhichOneof("message") != "entry":
            equal(message.caught_up, len(entries), "the number of the log's last line")
            break
        entries.append(message.entry)
    equal([entry.sequence for entry in entries], list(range(1, len(entries) + 1)), "the list of the log's numbers")
    exchanges = [entry.exchange for entry in entries if entry.HasField("exchange")]
    expect(any(exchange.answer.status == 200 for exchange in exchanges), "the log shows answers of the car")
    log = "\n".join(str(entry) for entry in entries)
    expect(arguments.car_secret not in log and teams[0].api_secret not in log, "the log holds no secret")
    said(f"one of {len(duel_events)} duels has {len(duel.turns)} turns; a team's log has {len(entries)} lines")

    standings = observer.GetStandings(race_id=race_id)
    expect(standings.turn == TURNS and len(standings.standings) == 2, "both teams have a place")
    expect(standings.standings == snapshot.standings, "the snapshot has the same standings")
    expect(standings.standings[0].place == 1, "one is first")

    export = b"".join(message.chunk for message in admin.ExportRace(token, race_id=race_id))
    chunks = [{"request_id": request_id(), "chunk": export[at:at + CHUNK]} for at in range(0, len(export), CHUNK)]
    reason, _, _ = refused(code.ALREADY_EXISTS, lambda: admin.ImportRace(token, many=chunks))
    equal(reason, "RACE_EXISTS", "the reason")
    expect(len(chunks) > 1, "the export is sent in several messages")
    chunks[0] = {"request_id": request_id(), "chunk": chunks[0]["chunk"].replace(b"{", b"[", 1)}
    refused(code.DATA_LOSS, lambda: admin.ImportRace(token, many=chunks))
    said(f"an export of {len(export)} bytes, in {len(chunks)} messages, is not taken in twice, nor changed")

    # A race that ends by the admin's word.
    short = admin.CreateRace(token, request_id=request_id(), title="A short race", rules={"turn_interval_seconds": 0})
    short_id = short.race.race_id
    admin.StartRace(token, request_id=request_id(), race_id=short_id)
    ended = admin.FinishRace(token, request_id=request_id(), race_id=short_id).race
    expect(ended.ending == number(pool, "RaceEnding", "RACE_ENDING_ADMIN"), "the admin has ended it")
    page = admin.ListRaces(token, page_size=1)
    equal([race.race_id for race in page.races], [short_id], "the first page, with the newest race")
    page = admin.ListRaces(token, page_size=1, page_token=page.next_page_token)
    equal([race.race_id for race in page.races], [race_id], "the next page")

    for standing in standings.standings:
        said(f"{standing.place}. {standing.team_name}: {standing.points} points")
    channel.close()


def instance_and_url(text):
    instance, _, url = text.partition("=")
    if not instance or not url:
        raise argparse.ArgumentTypeError("a car is INSTANCE=URL")
    return instance, url


def main():
    parser = argparse.ArgumentParser(description="A race over gRPC, by reflection only. GM_TOKEN is the admin's token.")
    parser.add_argument("--server", required=True, help="ADDRESS:PORT of the game master")
    parser.add_argument("--car", required=True, action="append", type=instance_and_url, help="INSTANCE=URL, twice")
    parser.add_argument("--car-secret", required=True, help="what the cars want in X-EACC-SECRET")
    arguments = parser.parse_args()
    if len(arguments.car) != 2 or not os.environ.get("GM_TOKEN"):
        parser.error("two cars and GM_TOKEN are needed")
    try:
        race(arguments, os.environ["GM_TOKEN"])
    except Wrong as wrong:
        said(f"WRONG: {wrong}")
        return 1
    except grpc.RpcError as error:
        said(f"WRONG: a call failed with {error.code()}: {error.details()}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
