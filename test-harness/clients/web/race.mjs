// A race from its creation to its final standings over gRPC-Web, as a page in a browser would play it.
//
// It holds no code that was generated: it reads the descriptors of the last release, proto/released/gm.v1.binpb.
//
//     GM_TOKEN=gm-admin-… node race.mjs --server http://127.0.0.1:7300 --origin http://race.example \
//         --descriptors proto/released/gm.v1.binpb --car-secret s3cret \
//         --car i-1=http://127.0.0.1:8081 --car i-2=http://127.0.0.1:8082
//
// The cars run already, and the server lets pages from the origin use it. Exits with 0 if everything was as the
// protocol files say, with 1 if something was not.

import { create, createFileRegistry, equals, fromBinary, toBinary } from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError, createClient } from "@connectrpc/connect";
import { createGrpcWebTransport } from "@connectrpc/connect-web";
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { request as httpRequest } from "node:http";
import { parseArgs } from "node:util";

/** How long one call may take, and a stream from its beginning to its end. */
const CALL_MS = 30_000;
const TURNS = 4;

/** The server did something else than the protocol files say. */
class Wrong extends Error {}

/** What should be so, in words. */
function expect(isSo, words) {
  if (!isSo) throw new Wrong(`it should be so: ${words}`);
}

/** What should be equal, and what it is of. */
function equal(found, wanted, ofWhat) {
  if (found !== wanted) throw new Wrong(`${ofWhat} should be ${wanted}, and is ${found}`);
}

function said(text) {
  console.log(`web: ${text}`);
}

/** What a client knows of google/rpc/error_details.proto, which is no part of our API. */
function errorDetails() {
  const { MESSAGE, STRING } = { MESSAGE: 11, STRING: 9 };
  const { ONE, MANY } = { ONE: 1, MANY: 3 };
  const field = (name, number, type, label = ONE, typeName = "") => ({ name, number, type, label, typeName });
  const file = {
    name: "google/rpc/error_details.proto",
    package: "google.rpc",
    syntax: "proto3",
    messageType: [
      { name: "ErrorInfo", field: [field("reason", 1, STRING), field("domain", 2, STRING)] },
      {
        name: "BadRequest",
        field: [field("field_violations", 1, MESSAGE, MANY, ".google.rpc.BadRequest.FieldViolation")],
        nestedType: [{ name: "FieldViolation", field: [field("field", 1, STRING), field("description", 2, STRING)] }],
      },
    ],
  };
  return createFileRegistry(create(FileDescriptorSetSchema, { file: [file] }));
}

const details = errorDetails();

/** That a call is refused with this code; its reason and the fields that are wrong. */
async function refused(code, ask) {
  let error;
  try {
    await ask();
  } catch (caught) {
    error = ConnectError.from(caught);
  }
  expect(error !== undefined, `it is refused with ${Code[code]}`);
  equal(Code[error.code], Code[code], `the code of the refusal (${error.rawMessage})`);
  const [info] = error.findDetails(details.getMessage("google.rpc.ErrorInfo"));
  expect(info?.domain === "gm" && info.reason !== "", `${Code[code]} has an ErrorInfo of the game master's`);
  const [bad] = error.findDetails(details.getMessage("google.rpc.BadRequest"));
  return { reason: info.reason, fields: bad?.fieldViolations.map((wrong) => wrong.field) ?? [] };
}

/** What the server answers to a browser that asks before it calls from another origin's page. */
function preflight(server, origin, path) {
  const headers = {
    origin,
    "access-control-request-method": "POST",
    "access-control-request-headers": "authorization,content-type,x-grpc-web,x-user-agent,grpc-timeout",
  };
  return new Promise((resolve, reject) => {
    const asked = httpRequest(new URL(path, server), { method: "OPTIONS", headers, timeout: CALL_MS }, (answer) => {
      answer.resume();
      resolve(answer);
    });
    asked.on("timeout", () => asked.destroy(new Error("the preflight is not answered")));
    asked.on("error", reject).end();
  });
}

/** The words of a header that holds a list, in small letters. */
function list(header) {
  return (header ?? "").toLowerCase().split(",").map((word) => word.trim());
}

async function cors(server, origin) {
  const path = "/gm.v1.ObserverService/GetStandings";
  const allowed = await preflight(server, origin, path);
  equal(allowed.statusCode, 200, "the status of the preflight");
  equal(allowed.headers["access-control-allow-origin"], origin, "the origin that is allowed");
  expect(list(allowed.headers["access-control-allow-methods"]).includes("post"), "POST is allowed");
  const sent = list(allowed.headers["access-control-allow-headers"]);
  for (const header of ["authorization", "content-type", "x-grpc-web", "x-user-agent", "grpc-timeout"]) {
    expect(sent.includes(header), `a page may send ${header}, not only ${sent}`);
  }
  const other = await preflight(server, "http://elsewhere.example", path);
  equal(other.headers["access-control-allow-origin"], undefined, "what is allowed to another origin");
  said(`a page of ${origin} may call, one of another origin may not`);
}

/** What a browser reads of an answer: only with this may the page read the status and its details. */
function checkExposed(answer, origin) {
  equal(answer.headers.get("access-control-allow-origin"), origin, "the origin that an answer is for");
  const exposed = list(answer.headers.get("access-control-expose-headers"));
  for (const header of ["grpc-status", "grpc-message", "grpc-status-details-bin"]) {
    expect(exposed.includes(header), `a page may read ${header}, not only ${exposed}`);
  }
}

/** The frames of an answer: [is it trailers, its bytes]. */
function frames(bytes) {
  const found = [];
  for (let at = 0; at < bytes.length; ) {
    expect(bytes.length - at >= 5, "a frame is whole");
    const length = bytes.readUInt32BE(at + 1);
    found.push([(bytes[at] & 0x80) !== 0, bytes.subarray(at + 5, at + 5 + length)]);
    at += 5 + length;
  }
  return found;
}

/** Base64 that was encoded piece by piece: padding may stand between the pieces. */
function fromPieces(text) {
  return Buffer.concat((text.match(/[^=]+={0,2}/g) ?? []).map((piece) => Buffer.from(piece, "base64")));
}

/** One call as `application/grpc-web-text`, by hand: what pages use that can read text only. */
async function asText(server, origin, method, message) {
  const bytes = toBinary(method.input, create(method.input, message));
  const head = Buffer.alloc(5);
  head.writeUInt32BE(bytes.length, 1);
  const type = "application/grpc-web-text+proto";
  const answer = await fetch(new URL(`/${method.parent.typeName}/${method.name}`, server), {
    method: "POST",
    headers: { origin, accept: type, "content-type": type, "x-grpc-web": "1" },
    body: Buffer.concat([head, bytes]).toString("base64"),
    signal: AbortSignal.timeout(CALL_MS),
  });
  equal(answer.status, 200, "the HTTP status of grpc-web-text");
  expect(answer.headers.get("content-type").startsWith("application/grpc-web-text"), "text is answered with text");
  const found = frames(fromPieces(await answer.text()));
  const [trailers] = found.filter(([isTrailers]) => isTrailers).map(([, body]) => body.toString());
  expect(/^grpc-status: ?0\r?$/m.test(trailers ?? ""), `the trailers ${JSON.stringify(trailers)} say grpc-status: 0`);
  return fromBinary(method.output, found.find(([isTrailers]) => !isTrailers)[1]);
}

/** Reads a race until it is over and nothing more comes. */
async function watch(observer, raceId) {
  const events = [];
  let isOver = false;
  for await (const { message } of observer.watchRace({ raceId, start: { case: "after", value: 0n } })) {
    if (message.case === "event") {
      events.push(message.value);
      isOver ||= message.value.event.case === "raceFinished";
    } else if (isOver && message.case === "heartbeat") {
      // The last score follows the end of the race, then there is only silence.
      equal(message.value, BigInt(events.length), "the number of the last event");
      return events;
    }
  }
  throw new Wrong("WatchRace ended before the race did");
}

async function race({ server, origin, descriptors, cars, carSecret, token }) {
  const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, readFileSync(descriptors)));
  const number = (name, value) => registry.getEnum(`gm.v1.${name}`).values.find((one) => one.name === value).number;
  let answers = 0;
  const transportOf = (secret) =>
    createGrpcWebTransport({
      baseUrl: server,
      useBinaryFormat: true,
      defaultTimeoutMs: CALL_MS,
      // A browser says where the page is from, and shows the page what it may read.
      fetch: async (url, init) => {
        const headers = new Headers(init.headers);
        headers.set("origin", origin);
        if (secret !== undefined) headers.set("authorization", `Bearer ${secret}`);
        const answer = await fetch(url, { ...init, headers });
        checkExposed(answer, origin);
        answers += 1;
        return answer;
      },
    });
  const client = (name, secret) => createClient(registry.getService(`gm.v1.${name}Service`), transportOf(secret));
  const [admin, observer] = [client("Admin", token), client("Observer")];

  await cors(server, origin);

  // A race whose turns are on the admin's word, and in which each car meets pirates in each turn: so there are duels.
  const rules = { turnIntervalSeconds: 0, maxTurns: TURNS, encounterOdds: { pirates: 100 } };
  const made = await admin.createRace({ requestId: randomUUID(), title: "A race over gRPC-Web", rules, seed: 11n });
  const { raceId } = made.race;
  expect(made.seed === 11n && made.race.status === number("RaceStatus", "RACE_STATUS_PREPARING"), "a race is made");

  const bad = await refused(Code.InvalidArgument, () =>
    admin.createRace({ requestId: randomUUID(), title: "", rules: { trackLength: 0 } }),
  );
  equal(bad.reason, "INVALID_FIELDS", "the reason");
  equal(bad.fields.sort().join(), "rules.track_length,title", "the list of wrong fields");
  const none = await refused(Code.NotFound, () => observer.getStandings({ raceId: "no-such-race" }));
  equal(none.reason, "RACE_NOT_FOUND", "the reason");
  await refused(Code.Unauthenticated, () => client("Admin").listRaces({}));
  await refused(Code.NotFound, () => watch(observer, "no-such-race"));
  said("refusals carry ErrorInfo and BadRequest, also those of streams");

  const watching = watch(observer, raceId);
  // It is awaited below; what goes wrong before is told there.
  watching.catch(() => {});

  const teams = [];
  for (const [index, [instance, url]] of cars.entries()) {
    const name = ["Ada", "Grace"][index];
    const team = await admin.createTeam({ requestId: randomUUID(), raceId, name, carSecret });
    const own = client("Team", team.apiSecret);
    const answer = await own.registerCar({ requestId: randomUUID(), instance, url });
    equal(answer.reasons.join(), "", `the list of reasons to refuse ${instance}`);
    equal(answer.car.car.teamId, team.teamId, "the team of the car");
    teams.push(own);
  }
  await refused(Code.PermissionDenied, () => client("Team", token).getTeam({}));

  await admin.startRace({ requestId: randomUUID(), raceId });
  let now;
  for (let expectedTurn = 1; expectedTurn <= TURNS; expectedTurn++) {
    now = (await admin.stepTurn({ requestId: randomUUID(), raceId, expectedTurn })).race;
    equal(now.turn, expectedTurn, "the turn that is complete");
  }
  equal(now.status, number("RaceStatus", "RACE_STATUS_FINISHED"), "the race's status at its end");
  said(`${TURNS} turns were played`);

  const events = await watching;
  expect(events.every(({ sequence }, index) => sequence === BigInt(index + 1)), "sequence numbers have no gap");
  const { snapshot } = await observer.getSnapshot({ raceId });
  equal(snapshot.sequence, BigInt(events.length), "the number of the snapshot's last event");
  const shown = [];
  for await (const { message } of observer.replayRace({ raceId })) shown.push(message);
  const first = shown.shift();
  expect(first?.case === "snapshot" && first.value.race.turn === 0, "a replay begins before the first turn");
  const watched = events.slice(Number(first.value.sequence));
  const event = registry.getMessage("gm.v1.RaceEvent");
  const isSame = ({ value }, index) => index < watched.length && equals(event, value, watched[index]);
  expect(shown.length === watched.length && shown.every(isSame), "the replay shows what was watched");
  said(`a spectator has seen ${events.length} events, and the replay shows them again`);

  const played = events.find(({ event }) => event.case === "duelPlayed");
  expect(played !== undefined, "a duel was played");
  const { duel } = await observer.getDuel({ raceId, turn: played.turn, duelNo: 1 });
  expect(duel.dealt.length === 2 && duel.turns.length > 0, "the duel has two sides and turns");
  const own = await teams[1].getTeam({});
  expect(own.name === "Grace" && own.race.raceId === raceId, "a team sees its own");
  let entries = 0n;
  for await (const { message } of teams[1].watchLog({})) {
    if (message.case !== "entry") {
      equal(message.case, "caughtUp", "what follows the lines of the log");
      equal(message.value, entries, "the number of the log's last line");
      break;
    }
    entries += 1n;
    equal(message.value.sequence, entries, "the number of a line of the log");
  }
  expect(entries > 0n, "a team's log holds something");

  const standings = await observer.getStandings({ raceId });
  expect(standings.turn === TURNS && standings.standings.length === 2, "both teams have a place");
  const method = registry.getService("gm.v1.ObserverService").method.getStandings;
  expect(equals(method.output, standings, await asText(server, origin, method, { raceId })), "text says the same");
  said(`${answers} answers and one as text could be read by the page`);
  for (const { place, teamName, points } of standings.standings) said(`${place}. ${teamName}: ${points} points`);
}

function options() {
  const text = { type: "string" };
  const { values } = parseArgs({
    options: {
      server: text,
      origin: text,
      descriptors: text,
      "car-secret": text,
      car: { type: "string", multiple: true },
    },
  });
  const { server, origin, descriptors, car = [], "car-secret": carSecret } = values;
  const cars = car.map((one) => [one.slice(0, one.indexOf("=")), one.slice(one.indexOf("=") + 1)]);
  const token = process.env.GM_TOKEN;
  if (!server || !origin || !descriptors || !carSecret || cars.length !== 2 || !token) {
    throw new Wrong("--server, --origin, --descriptors, --car-secret, two --car and GM_TOKEN are needed");
  }
  return { server, origin, descriptors, cars, carSecret, token };
}

try {
  await race(options());
} catch (error) {
  said(error instanceof Wrong ? `WRONG: ${error.message}` : `WRONG: ${error.stack}`);
  // A stream that is still open would hold it up.
  process.exit(1);
}
