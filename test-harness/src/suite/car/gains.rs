//! C-10: the car has one module more.
//!
//! ```text
//! POST /engine   {"name": "engine-t12-c3-1"}  →  2xx, and GET /engine/count says one more
//! ```

use super::Talk;
use super::counts::taken;
use crate::client::Ask;
use crate::suite::case::{Case, Done, Failure, Level};
use futures_util::FutureExt;
use gm_core::contract::{CarRequest, Kind};

/// Names as an S3 key can be: what is special in a URL, in JSON or in a shell. To be told apart from modules that were
/// there before, each gets something behind it.
pub(super) const NAMES: [&str; 10] = [
    "with two blanks",
    "é à ü ß",
    "50%",
    "%41 is not A",
    "\"double\" and 'single'",
    "a+b&c=d?e#f",
    "semi;colon, comma: at@",
    "back\\slash",
    "<b>日本語 🏎</b>",
    "dots.and..more~",
];

/// The length of the longest name that is tried, in characters.
pub(super) const LONG: usize = 200;

/// The length of the longest name that there is, in bytes of UTF-8: that of an S3 key.
const LONGEST: usize = 1_024;

/// How many modules of each kind a car gets when it is to have many: more than it may be registered with (R-2.3).
const MANY: u32 = 11;

/// Bodies that name no module.
const NO_NAME: [&str; 7] =
    ["", "not json", "{}", "[]", r#"{"name": 7}"#, r#"{"name": null}"#, r#"{"name": ["a"]}"#];

/// The cases.
pub(super) fn cases() -> Vec<Case<Talk>> {
    const GAIN: &str = "a penalty at each gain: in a garage, in a wreck, by a bonus (R-7.2)";
    vec![
        Case {
            id: "C-10.1",
            requirement: "C-10",
            title: "POST /{kind} adds one module",
            level: Level::Must,
            needs: &["C-4.4"],
            hint: "put an object, raise the number, or put an item, and count it from then on, before you answer",
            costs: GAIN,
            check: |talk| adds(talk).boxed(),
        },
        Case {
            id: "C-10.2",
            requirement: "C-10",
            title: "adding a name that is there changes nothing",
            level: Level::Must,
            needs: &["C-10.1"],
            hint: "a module is known by its name; one that is there is not added again",
            costs: "a penalty (R-7.2) whenever a request is sent again",
            check: |talk| twice(talk).boxed(),
        },
        Case {
            id: "C-10.3",
            requirement: "C-10",
            title: "POST /{kind} leaves the other kinds alone",
            level: Level::Must,
            needs: &["C-10.1"],
            hint: "each kind has a resource of its own",
            costs: "a penalty for another kind, whenever that is counted (R-3.4, R-7.2)",
            check: |talk| others(talk).boxed(),
        },
        Case {
            id: "C-10.4",
            requirement: "C-10",
            title: "names may hold blanks, accents, quotes, % and be 200 characters long",
            level: Level::Must,
            needs: &["C-10.1"],
            hint: "take the name out of the JSON body as it is, as UTF-8; don't cut it, and don't check it",
            costs: "a penalty (R-7.2) for a module with such a name; the game master gives only simple ones, the jury any",
            check: |talk| any_name(talk).boxed(),
        },
        Case {
            id: "C-10.5",
            requirement: "C-10",
            title: "the state follows a gain",
            level: Level::Must,
            needs: &["C-10.1", "C-5.2"],
            hint: "count modules in one place, and let /state and /count both ask there",
            costs: "a penalty at each spot check after a gain (R-3.4)",
            check: |talk| state_follows(talk).boxed(),
        },
        Case {
            id: "C-10.6",
            requirement: "C-10",
            title: "a POST /{kind} without a name is refused with 4xx and changes nothing",
            level: Level::Should,
            needs: &["C-10.1"],
            hint: "read the body first; where it names no module, answer 422 and leave all as it is",
            costs: "nothing: the game master never sends such a body",
            check: |talk| refused(talk).boxed(),
        },
        Case {
            id: "C-10.7",
            requirement: "C-10",
            title: "names that differ in case are different modules",
            level: Level::Should,
            needs: &["C-10.1"],
            hint: "compare names byte for byte, as S3 and DynamoDB do",
            costs: "nothing as long as all names are the game master's",
            check: |talk| case_matters(talk).boxed(),
        },
        Case {
            id: "C-10.8",
            requirement: "C-10",
            title: "a car takes more than 10 modules",
            level: Level::Must,
            needs: &["C-10.3"],
            hint: "the limit of 10 modules is for the registration (R-2.3): what a car gains later comes on top (R-7.2)",
            costs: "a penalty at each gain from the 11th module on (R-7.2)",
            check: |talk| more_than_ten(talk).boxed(),
        },
        Case {
            id: "C-10.9",
            requirement: "C-10",
            title: "the state counts more than 9 modules of a kind",
            level: Level::Must,
            needs: &["C-10.5", "C-10.8"],
            hint: "say in /state what /count says, however many there are",
            costs: "a penalty at each spot check of a car that has so many (R-3.4)",
            check: |talk| state_of_many(talk).boxed(),
        },
        Case {
            id: "C-10.10",
            requirement: "C-10",
            title: "names of up to 1024 bytes are taken",
            level: Level::Must,
            needs: &["C-10.4"],
            hint: "a name is as long as an S3 key can be, 1024 bytes of UTF-8: make room, and don't cut or refuse it",
            costs: "a penalty (R-7.2) for a module with such a name; the game master gives only short ones",
            check: |talk| longest(talk).boxed(),
        },
        Case {
            id: "C-10.11",
            requirement: "C-10",
            title: "names are not normalised: blanks at their ends and two ways to write é make them different",
            level: Level::Must,
            needs: &["C-10.4"],
            hint: "keep the bytes of a name as they come: no trim, no NFC, no collation that takes two names for one",
            costs: "a penalty (R-7.2) for a module with such a name; the game master gives only simple ones",
            check: |talk| not_normalised(talk).boxed(),
        },
        // Of C-9, and here because it needs C-10.
        Case {
            id: "C-9.7",
            requirement: "C-9",
            title: "a higher count is reached where names as the car gives them are taken",
            level: Level::Must,
            needs: &["C-9.2", "C-10.1"],
            hint: "look whether engine-5 is there already before you add it, and go on to the next free name; count what \
                   there is then",
            costs: "after a penalty, the next one at once: the game master's correction is not taken (R-7.2)",
            check: |talk| taken(talk).boxed(),
        },
    ]
}

/// Adds a module, and checks that there is one more.
pub(super) async fn gain(talk: &mut Talk, kind: Kind, name: &str) -> Done {
    let before = talk.count(kind).await?;
    talk.tell(&CarRequest::Gain { kind, name: name.to_owned() }).await?;
    talk.expect_count(kind, before + 1, &format!("POST /{kind} {{\"name\": {}}}", shown(name))).await?;
    Ok(())
}

/// A name in a sentence: the longest ones are cut.
fn shown(name: &str) -> String {
    const MOST: usize = 2 * LONG;
    let short: String = name.chars().take(MOST).collect();
    if short == name { format!("{name:?}") } else { format!("{short:?}…, {} bytes", name.len()) }
}

/// Takes a module away again, whatever comes of it: whether that works is for C-11 to say.
pub(super) async fn give_back(talk: &mut Talk, kind: Kind, name: String) {
    talk.send(&CarRequest::Lose { kind, name }).await;
}

async fn adds(talk: &mut Talk) -> Done {
    for kind in Kind::ALL {
        let names = [talk.fresh_name(kind), talk.fresh_name(kind)];
        for name in &names {
            gain(talk, kind, name).await?;
        }
        for name in names {
            give_back(talk, kind, name).await;
        }
    }
    Ok(())
}

async fn twice(talk: &mut Talk) -> Done {
    for kind in Kind::ALL {
        let name = talk.fresh_name(kind);
        gain(talk, kind, &name).await?;
        let there = talk.count(kind).await?;
        talk.tell(&CarRequest::Gain { kind, name: name.clone() }).await?;
        talk.expect_count(kind, there, &format!("POST /{kind} with a name that is there")).await?;
        give_back(talk, kind, name).await;
    }
    Ok(())
}

async fn others(talk: &mut Talk) -> Done {
    for kind in Kind::ALL {
        let mut expected = talk.counts().await?;
        *expected.of_mut(kind) += 1;
        let name = talk.fresh_name(kind);
        talk.tell(&CarRequest::Gain { kind, name: name.clone() }).await?;
        talk.expect_counts(expected, &format!("a POST /{kind}")).await?;
        give_back(talk, kind, name).await;
    }
    Ok(())
}

/// The names that are tried, made unlike any that is there.
pub(super) fn odd_names(talk: &mut Talk) -> Vec<String> {
    let own = talk.fresh_name(Kind::Engine);
    let mut names: Vec<String> = NAMES.iter().map(|name| format!("{name} {own}")).collect();
    let mut long = format!("{own}-");
    long.extend(std::iter::repeat_n('n', LONG - long.chars().count()));
    names.push(long);
    names
}

async fn any_name(talk: &mut Talk) -> Done {
    for kind in Kind::ALL {
        for name in odd_names(talk) {
            gain(talk, kind, &name).await?;
            give_back(talk, kind, name).await;
        }
    }
    Ok(())
}

async fn state_follows(talk: &mut Talk) -> Done {
    for kind in Kind::ALL {
        let name = talk.fresh_name(kind);
        gain(talk, kind, &name).await?;
        let expected = talk.count(kind).await?;
        let found = talk.state().await?.modules.of(kind);
        if found != expected {
            let expected = format!("GET /state: {expected} of kind {kind} after a POST /{kind}");
            return Err(talk.failure(expected, found.to_string()).into());
        }
        give_back(talk, kind, name).await;
    }
    Ok(())
}

async fn refused(talk: &mut Talk) -> Done {
    for kind in Kind::ALL {
        let before = talk.count(kind).await?;
        for body in NO_NAME {
            let id = talk.fresh_id();
            let ask = talk.signed(Ask::new("POST", &format!("/{kind}")).body(body), &id);
            let status = talk.send_raw(ask).await.status();
            if !status.is_some_and(|status| (400..500).contains(&status)) {
                return Err(talk.unlike(format!("a status of 4xx to the body {body:?}")).into());
            }
            talk.expect_count(kind, before, &format!("a refused POST /{kind} with the body {body:?}"))
                .await?;
        }
    }
    Ok(())
}

async fn case_matters(talk: &mut Talk) -> Done {
    for kind in Kind::ALL {
        let lower = talk.fresh_name(kind);
        let upper = lower.to_uppercase();
        gain(talk, kind, &lower).await?;
        gain(talk, kind, &upper).await?;
        give_back(talk, kind, upper).await;
        give_back(talk, kind, lower).await;
    }
    Ok(())
}

/// Adds many modules of each kind, which must be accepted.
async fn add_many(talk: &mut Talk) -> Result<Vec<(Kind, String)>, Failure> {
    let mut added = Vec::new();
    for kind in Kind::ALL {
        for _ in 0..MANY {
            let name = talk.fresh_name(kind);
            talk.tell(&CarRequest::Gain { kind, name: name.clone() }).await?;
            added.push((kind, name));
        }
    }
    Ok(added)
}

async fn more_than_ten(talk: &mut Talk) -> Done {
    let mut expected = talk.counts().await?;
    let added = add_many(talk).await?;
    for kind in Kind::ALL {
        *expected.of_mut(kind) += u64::from(MANY);
    }
    talk.expect_counts(expected, &format!("{MANY} more of each kind")).await?;
    for (kind, name) in added {
        give_back(talk, kind, name).await;
    }
    Ok(())
}

async fn state_of_many(talk: &mut Talk) -> Done {
    let added = add_many(talk).await?;
    let counts = talk.counts().await?;
    let state = talk.state().await?.modules;
    for kind in Kind::ALL {
        let (expected, found) = (counts.of(kind), state.of(kind));
        if found != expected {
            let expected = format!("GET /state: {expected} of kind {kind}, as GET /{kind}/count said");
            return Err(talk.failure(expected, found.to_string()).into());
        }
    }
    for (kind, name) in added {
        give_back(talk, kind, name).await;
    }
    Ok(())
}

/// Two names of 1024 bytes: of ASCII, and of what is longer on the path than in the body.
pub(super) fn longest_names(talk: &mut Talk) -> [String; 2] {
    ['n', '日'].map(|filler| {
        let mut name = talk.fresh_name(Kind::Engine) + "-";
        let room = LONGEST - name.len();
        name.extend(std::iter::repeat_n(filler, room / filler.len_utf8()));
        name.extend(std::iter::repeat_n('n', LONGEST - name.len()));
        name
    })
}

async fn longest(talk: &mut Talk) -> Done {
    for kind in Kind::ALL {
        for name in longest_names(talk) {
            gain(talk, kind, &name).await?;
            give_back(talk, kind, name).await;
        }
    }
    Ok(())
}

/// Pairs of names that look alike, or nearly, and are two.
pub(super) fn pairs(talk: &mut Talk) -> [[String; 2]; 3] {
    let own = talk.fresh_name(Kind::Engine);
    [
        [format!("{own}-caf\u{e9}"), format!("{own}-cafe\u{301}")],
        [format!("{own}-end"), format!("{own}-end ")],
        [format!("{own}-start"), format!(" {own}-start")],
    ]
}

async fn not_normalised(talk: &mut Talk) -> Done {
    for kind in Kind::ALL {
        for [one, other] in pairs(talk) {
            gain(talk, kind, &one).await?;
            gain(talk, kind, &other).await?;
            give_back(talk, kind, other).await;
            give_back(talk, kind, one).await;
        }
    }
    Ok(())
}
