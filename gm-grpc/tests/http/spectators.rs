//! What anybody sees: races, one of them, standings; health, metrics, help; and who may not.

use crate::client::{Answer, Ask};
use crate::served::{GREEN, RED, Served};
use axum::body::Body;
use gm_grpc::web;
use http::Request;
use http_body_util::BodyExt as _;
use serde_json::json;
use tower::ServiceExt as _;

#[tokio::test]
async fn races_are_there_for_all_who_may_see_them() {
    let served = Served::start().await;
    served.register_all().await;
    let private = served.make_race("private", true).await;
    served.make_team(&private, "Blue", "the-api-secret-of-blue", "the-cars-secret-of-blue").await;

    let public = served.ask(Ask::get("/v1/races")).await.good();
    let ids = |page: &serde_json::Value| {
        let races = page["races"].as_array().expect("races").clone();
        races.iter().map(|race| race["race_id"].as_str().unwrap_or_default().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(ids(&public), [served.race.as_str()]);
    let admin =
        Ask::get("/v1/races?page_size=1").header("authorization", &format!("bearer {}", served.admin_token));
    let page = served.ask(admin).await.good();
    assert_eq!(ids(&page), [private.as_str()]);
    let token = page["next_page_token"].as_str().expect("another page");
    let admin = Ask::get(&format!("/v1/races?page_size=1&page_token={token}")).secret(&served.admin_token);
    assert_eq!(ids(&served.ask(admin).await.good()), [served.race.as_str()]);
    let wrong =
        served.ask(Ask::get("/v1/races?page_size=101&page_token=x")).await.problem(400, "INVALID_FIELDS");
    assert_eq!(wrong["fields"].as_array().map(Vec::len), Some(2), "{wrong}");

    let race = served.ask(Ask::get(&format!("/v1/races/{}", served.race))).await.good();
    assert_eq!(race["snapshot"]["cars"].as_array().map(Vec::len), Some(3), "{race}");
    assert_eq!(race["snapshot"]["own_cars"], json!([]));
    let own = served.ask(Ask::get(&format!("/v1/races/{}", served.race)).secret(GREEN)).await.good();
    assert_eq!(own["snapshot"]["own_cars"].as_array().map(Vec::len), Some(1), "{own}");
    let standings = served.ask(Ask::get(&format!("/v1/races/{}/standings", served.race))).await.good();
    assert_eq!((&standings["turn"], standings["standings"].as_array().map(Vec::len)), (&json!(0), Some(2)));

    for rest in ["", "/standings", "/events"] {
        let path = format!("/v1/races/{private}{rest}");
        served.ask(Ask::get(&path)).await.problem(401, "UNAUTHENTICATED");
        served.ask(Ask::get(&path).secret(RED)).await.problem(403, "PERMISSION_DENIED");
        let blue = Ask::get(&path).secret("the-api-secret-of-blue").open(served.at).await;
        assert_eq!(blue.status, 200, "{path}");
        served.ask(Ask::get(&format!("/v1/races/no-such{rest}"))).await.problem(404, "RACE_NOT_FOUND");
        served.ask(Ask::get(&format!("/v1/races/%ff{rest}"))).await.problem(400, "INVALID_FIELDS");
        served
            .ask(Ask::get(&format!("/v1/races/{}{rest}", "x".repeat(10_000))))
            .await
            .problem(400, "INVALID_FIELDS");
    }
}

#[tokio::test]
async fn metrics_are_for_admins_unless_they_are_public() {
    let served = Served::start().await;
    served.ask(Ask::get("/metrics")).await.problem(401, "UNAUTHENTICATED");
    served.ask(Ask::get("/metrics").secret(RED)).await.problem(403, "PERMISSION_DENIED");
    let metrics = served.ask(Ask::get("/metrics").secret(&served.admin_token)).await;
    assert_eq!(metrics.status, 200);
    assert!(metrics.header("content-type").starts_with("text/plain; version=0.0.4"));
    assert!(metrics.text().contains("# TYPE gm_journal_commit_seconds histogram"), "{}", metrics.text());

    let public = Served::start_with(&[("metrics.public", "true")]).await;
    assert_eq!(public.ask(Ask::get("/metrics")).await.status, 200);
    let none = Served::start_with(&[("metrics.enabled", "false")]).await;
    none.ask(Ask::get("/metrics").secret(&none.admin_token)).await.problem(404, "NO_SUCH_PATH");
}

#[tokio::test]
async fn methods_and_paths_that_there_are_not() {
    let served = Served::start().await;
    for (method, path, allow) in [
        ("DELETE", "/v1/team", "GET,HEAD"),
        ("GET", "/v1/cars", "POST"),
        ("PUT", "/v1/complaints", "POST"),
        ("POST", "/v1/races", "GET,HEAD"),
        ("HEAD", "/v1/transfers", "POST"),
    ] {
        let answer = served.ask(Ask::new(method, path).secret(RED)).await;
        assert_eq!((answer.status.as_u16(), answer.header("allow")), (405, allow), "{method} {path}");
        assert_eq!(answer.header("content-type"), "application/problem+json");
        if method != "HEAD" {
            answer.problem(405, "OTHER_METHOD");
        }
    }
    for path in ["/v1", "/v1/", "/v2/team", "/v1/team/", "/v1/races/", "/v1/cars/1", "//", "/%00"] {
        served.ask(Ask::get(path)).await.problem(404, "NO_SUCH_PATH");
    }
    let head = served.ask(Ask::new("HEAD", "/v1/team").secret(RED)).await;
    assert_eq!((head.status.as_u16(), head.header("content-type")), (200, "application/json"));
    assert!(head.body.is_empty());
    let options = Ask::new("OPTIONS", "/v1/team").header("origin", "http://example.org");
    let options = options.header("access-control-request-method", "GET");
    assert_eq!(served.ask(options).await.status, 200);
}

#[tokio::test]
async fn help_and_health() {
    let served = Served::start().await;
    let help = served.ask(Ask::get("/")).await;
    assert_eq!((help.status.as_u16(), help.header("content-type")), (200, "text/plain; charset=utf-8"));
    assert!(help.text().contains(&format!("curl http://{}/v1/races", served.at)), "{}", help.text());
    let health = served.ask(Ask::get("/healthz")).await;
    assert_eq!((health.status.as_u16(), health.text().as_str()), (200, "ok\n"));
    // A server that drains takes no new connections; whoever has one is told.
    served.api.drain();
    let router = web::router(&served.api, &served.settings);
    let request = Request::get("/healthz").body(Body::empty()).expect("a request");
    let response = router.oneshot(request).await.expect("an answer");
    let (parts, body) = response.into_parts();
    let body = body.collect().await.expect("a body").to_bytes();
    let draining = Answer { status: parts.status, headers: parts.headers, body };
    let problem = draining.problem(503, "DRAINING");
    assert!(problem["detail"].as_str().is_some_and(|detail| detail.starts_with("draining")));
}
