//! A headless Chromium, driven with the DevTools protocol over a pipe.
//!
//! This needs Debian's package `chromium`. Without it the tests print a note and pass, unless
//! `GDWIRE_ENGINE_TESTS=required` is set.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

/// The longest time to wait for an answer.
const TIMEOUT: Duration = Duration::from_secs(60);

/// One browser runs at a time.
static TURN: Mutex<()> = Mutex::new(());

pub(crate) struct Browser {
    process: Child,
    input: ChildStdin,
    /// Answers and events of the browser.
    messages: Receiver<Value>,
    last: u64,
    session: Option<String>,
    events: Vec<Value>,
    _turn: MutexGuard<'static, ()>,
}

impl Browser {
    /// Starts a browser with a window of this size; `None` if none is installed.
    pub(crate) fn start(profile: &Path, (width, height): (u32, u32)) -> Option<Browser> {
        let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        let is_installed = Command::new("chromium").arg("--version").output().is_ok();
        if !is_installed {
            let required =
                std::env::var("GDWIRE_ENGINE_TESTS").is_ok_and(|value| value == "required");
            assert!(!required, "chromium is not installed");
            eprintln!("skipped: chromium is not installed (apt install chromium)");
            return None;
        }
        // The browser reads from file descriptor 3, and writes to 4. In containers, it runs as
        // root.
        let line = "exec chromium --headless --no-sandbox --disable-gpu --disable-dev-shm-usage \
                    --remote-debugging-pipe --user-data-dir=\"$0\" about:blank \
                    3<&0 4>&1 </dev/null >/dev/null 2>/dev/null";
        let mut process = Command::new("sh")
            .args(["-c", line])
            .arg(profile.join("chromium"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (input, output) = (process.stdin.take().unwrap(), process.stdout.take().unwrap());
        let (sender, messages) = channel();
        thread::spawn(move || {
            let mut output = BufReader::new(output);
            let mut message = Vec::new();
            while output.read_until(0, &mut message).is_ok_and(|read| read > 0) {
                message.pop();
                if sender.send(serde_json::from_slice(&message).unwrap()).is_err() {
                    break;
                }
                message.clear();
            }
        });
        let (events, session) = (Vec::new(), None);
        let mut browser =
            Browser { process, input, messages, last: 0, session, events, _turn: turn };
        let target = browser.call("Target.createTarget", json!({"url": "about:blank"}));
        let attached = json!({"targetId": target["targetId"], "flatten": true});
        let session = browser.call("Target.attachToTarget", attached)["sessionId"].clone();
        browser.session = Some(session.as_str().unwrap().to_owned());
        for domain in ["Page", "Runtime", "Network", "Log"] {
            browser.call(&format!("{domain}.enable"), json!({}));
        }
        browser.resize(width, height);
        Some(browser)
    }

    /// Calls a method, and returns its result.
    pub(crate) fn call(&mut self, method: &str, params: Value) -> Value {
        self.last += 1;
        let mut message = json!({"id": self.last, "method": method, "params": params});
        if let Some(session) = &self.session {
            message["sessionId"] = json!(session);
        }
        self.input.write_all(format!("{message}\0").as_bytes()).unwrap();
        loop {
            let answer = self.messages.recv_timeout(TIMEOUT).expect(method);
            if answer["id"] == self.last {
                assert!(answer.get("error").is_none(), "{method}: {answer}");
                return answer["result"].clone();
            }
            self.events.push(answer);
        }
    }

    pub(crate) fn resize(&mut self, width: u32, height: u32) {
        let is_phone = width < 600;
        let size =
            json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": is_phone});
        self.call("Emulation.setDeviceMetricsOverride", size);
    }

    /// Opens a file, and waits until its scripts have run.
    pub(crate) fn open(&mut self, file: &Path) {
        self.events.clear();
        self.call("Page.navigate", json!({"url": format!("file://{}", file.display())}));
        while !self.events.iter().any(|event| event["method"] == "Page.loadEventFired") {
            let event = self.messages.recv_timeout(TIMEOUT).expect("the page is loaded");
            self.events.push(event);
        }
    }

    /// The value of a JavaScript expression.
    pub(crate) fn value(&mut self, expression: &str) -> Value {
        let expression =
            json!({"expression": expression, "returnByValue": true, "awaitPromise": true});
        let result = self.call("Runtime.evaluate", expression);
        assert!(result.get("exceptionDetails").is_none(), "{result}");
        result["result"]["value"].clone()
    }

    /// The text of the first element of a selector.
    pub(crate) fn text(&mut self, selector: &str) -> String {
        let text = self.value(&format!("document.querySelector({}).textContent", json!(selector)));
        text.as_str().unwrap().to_owned()
    }

    /// Waits until the next frame is drawn.
    pub(crate) fn settle(&mut self) {
        self.value("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(0))))");
    }

    /// Scrolls to an element, and returns where it is: its left, top, width and height.
    pub(crate) fn place(&mut self, selector: &str) -> [f64; 4] {
        let place = self.value(&format!(
            "(() => {{ const it = document.querySelector({}); it.scrollIntoView({{block: 'center'}}); \
             const {{left, top, width, height}} = it.getBoundingClientRect(); \
             return [left, top, width, height]; }})()",
            json!(selector)
        ));
        self.settle();
        [0, 1, 2, 3].map(|at| place[at].as_f64().unwrap())
    }

    pub(crate) fn mouse(&mut self, event: &str, (x, y): (f64, f64)) {
        let buttons = if event == "mouseMoved" { 0 } else { 1 };
        let event = json!({"type": event, "x": x, "y": y, "button": "left", "buttons": buttons, "clickCount": 1});
        self.call("Input.dispatchMouseEvent", event);
    }

    pub(crate) fn key(&mut self, key: &str) {
        let text = if key.chars().count() == 1 { key } else { "" };
        for event in ["keyDown", "keyUp"] {
            let text = if event == "keyDown" { text } else { "" };
            self.call("Input.dispatchKeyEvent", json!({"type": event, "key": key, "text": text}));
        }
        self.settle();
    }

    /// Types into an element.
    pub(crate) fn type_into(&mut self, selector: &str, text: &str) {
        self.value(&format!("document.querySelector({}).focus()", json!(selector)));
        self.call("Input.insertText", json!({"text": text}));
        self.settle();
    }

    /// The errors since the page was opened, and the requests that it made.
    pub(crate) fn problems(&mut self) -> (Vec<String>, Vec<String>) {
        // Events arrive in order: after this answer, all have arrived.
        self.value("0");
        let of = |method: &str| {
            let method = method.to_owned();
            self.events.iter().filter(move |event| event["method"] == method)
        };
        let bad = ["Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded"];
        let errors = bad.iter().flat_map(|method| of(method)).map(Value::to_string).collect();
        let requests = of("Network.requestWillBeSent")
            .map(|event| event["params"]["request"]["url"].as_str().unwrap().to_owned());
        (errors, requests.collect())
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        drop(self.input.write_all(b"{\"id\":0,\"method\":\"Browser.close\"}\0"));
        self.process.kill().ok();
        self.process.wait().ok();
    }
}
