//! A game with the crate `agones`: does the steps that the command line names, and prints a line for each.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use agones::Sdk;
use agones::errors::{Error, Result};
use tokio::time::sleep;

const PATIENCE: Duration = Duration::from_secs(30);
const PAUSE: Duration = Duration::from_millis(50);

struct Seen {
    uid: String,
    state: String,
}

struct Game {
    sdk: Sdk,
    watched: Arc<Mutex<Vec<Seen>>>,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    let mut game = Game { sdk: Sdk::new(None, None).await?, watched: Arc::default() };
    for step in std::env::args().skip(1) {
        match game.step(&step).await {
            Ok(answer) => println!("{answer}"),
            Err(Error::Rpc(status)) => println!("refused {} {}", status.code() as i32, status.message()),
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

impl Game {
    async fn step(&mut self, step: &str) -> Result<String> {
        let words: Vec<&str> = step.split(' ').collect();
        let number = |at: usize| words[at].parse::<i64>().expect("a number");
        let mut beta = self.sdk.beta().clone();
        let mut alpha = self.sdk.alpha().clone();
        let ok = |_: ()| "ok".to_string();
        match words[0] {
            "gameserver" => Ok(self.meta().await?.name),
            "watch" => self.watch().await,
            "watched" => self.watched_state(words[1]).await,
            "state" => self.state(words[1]).await,
            "ready" => self.sdk.ready().await.map(ok),
            "allocate" => self.sdk.allocate().await.map(ok),
            "shutdown" => self.sdk.shutdown().await.map(ok),
            "reserve" => self.sdk.reserve(Duration::from_secs(number(1) as u64)).await.map(ok),
            "health" => self.health().await,
            "label" => self.sdk.set_label(words[1], words[2]).await.map(ok),
            "timestamp-label" => self.timestamp_label().await,
            "uid-annotation" => self.uid_annotation().await,
            "count" => beta.get_counter_count(words[1]).await.map(text),
            "increment" => beta.increment_counter(words[1], number(2)).await.map(ok),
            "decrement" => beta.decrement_counter(words[1], number(2)).await.map(ok),
            "set-count" => beta.set_counter_count(words[1], number(2)).await.map(ok),
            "capacity" => beta.get_counter_capacity(words[1]).await.map(text),
            "set-capacity" => beta.set_counter_capacity(words[1], number(2)).await.map(ok),
            "contains" => beta.list_contains(words[1], words[2]).await.map(text),
            "length" => beta.get_list_length(words[1]).await.map(text),
            "values" => beta.get_list_values(words[1]).await.map(|values| values.join(",")),
            "append" => beta.append_list_value(words[1], words[2]).await.map(ok),
            "delete" => beta.delete_list_value(words[1], words[2]).await.map(ok),
            "list-capacity" => beta.get_list_capacity(words[1]).await.map(text),
            "set-list-capacity" => beta.set_list_capacity(words[1], number(2)).await.map(ok),
            "set-player-capacity" => alpha.set_player_capacity(number(1)).await.map(ok),
            "player-capacity" => alpha.get_player_capacity().await.map(text),
            "player-connect" => alpha.player_connect(words[1]).await.map(text),
            "player-connected" => alpha.is_player_connected(words[1]).await.map(text),
            "players" => alpha.get_connected_players().await.map(|ids| ids.join(",")),
            "player-disconnect" => alpha.player_disconnect(words[1]).await.map(text),
            "player-count" => alpha.get_player_count().await.map(text),
            _ => Ok("unknown step".to_string()),
        }
    }

    async fn meta(&mut self) -> Result<agones::ObjectMeta> {
        Ok(self.sdk.get_gameserver().await?.object_meta.unwrap_or_default())
    }

    async fn watch(&mut self) -> Result<String> {
        let mut stream = self.sdk.watch_gameserver().await?;
        let watched = self.watched.clone();
        tokio::spawn(async move {
            while let Ok(Some(server)) = stream.message().await {
                let uid = server.object_meta.unwrap_or_default().uid;
                let state = server.status.unwrap_or_default().state;
                watched.lock().expect("a lock").push(Seen { uid, state });
            }
        });
        until(async || Ok(self.uid())).await
    }

    fn uid(&self) -> Option<String> {
        self.watched.lock().expect("a lock").first().map(|seen| seen.uid.clone())
    }

    async fn watched_state(&mut self, state: &str) -> Result<String> {
        let was_seen = || self.watched.lock().expect("a lock").iter().any(|seen| seen.state == state);
        until(async || Ok(was_seen().then(|| state.to_string()))).await
    }

    async fn state(&mut self, state: &str) -> Result<String> {
        until(async || {
            let status = self.sdk.get_gameserver().await?.status.unwrap_or_default();
            Ok((status.state == state).then_some(status.state))
        })
        .await
    }

    async fn health(&mut self) -> Result<String> {
        let pings = self.sdk.health_check();
        let sent = pings.send(()).await;
        // The ping leaves from a task of its own, which ends with the sender.
        sleep(PAUSE).await;
        Ok(if sent.is_ok() { "ok" } else { "not sent" }.to_string())
    }

    async fn timestamp_label(&mut self) -> Result<String> {
        let created = self.meta().await?.creation_timestamp;
        self.sdk.set_label("timestamp", created.to_string()).await?;
        until(async || Ok(self.meta().await?.labels.remove("agones.dev/sdk-timestamp"))).await
    }

    async fn uid_annotation(&mut self) -> Result<String> {
        let uid = self.uid().unwrap_or_default();
        self.sdk.set_annotation("uid", uid).await?;
        until(async || Ok(self.meta().await?.annotations.remove("agones.dev/sdk-uid"))).await
    }
}

fn text(value: impl ToString) -> String {
    value.to_string()
}

/// The first value that there is.
async fn until(mut look: impl AsyncFnMut() -> Result<Option<String>>) -> Result<String> {
    let deadline = Instant::now() + PATIENCE;
    while Instant::now() < deadline {
        if let Some(found) = look().await? {
            return Ok(found);
        }
        sleep(PAUSE).await;
    }
    Ok("too late".to_string())
}
