//! A headless Chromium, driven with the DevTools protocol over a pipe.
//!
//! This needs Debian's package `chromium`. Without it the tests print a note and pass, unless
//! `GDWIRE_ENGINE_TESTS=required` is set.

use crate::common::{is_installed, without_engines};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Mutex, MutexGuard};
use std::thread;
use std::time::Duration;

/// The longest time to wait for an answer.
const TIMEOUT: Duration = Duration::from_secs(60);

/// All tests use one browser, one after the other. It ends with the tests, which hold its input.
static BROWSER: Mutex<Option<Process>> = Mutex::new(None);

struct Process {
    child: Child,
    input: ChildStdin,
    /// Answers and events of the browser.
    messages: Receiver<Value>,
    last: u64,
}

impl Process {
    fn start() -> Process {
        // The browser reads from file descriptor 3, and writes to 4. In containers, it runs as
        // root.
        let line = "exec chromium --headless --no-sandbox --disable-gpu --disable-dev-shm-usage \
                    --remote-debugging-pipe --user-data-dir=\"$0\" about:blank \
                    3<&0 4>&1 </dev/null >/dev/null 2>/dev/null";
        let mut child = Command::new("sh")
            .args(["-c", line])
            .arg(super::directory("chromium"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (input, output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
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
        Process { child, input, messages, last: 0 }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

/// A tab of the browser.
pub(crate) struct Browser {
    process: MutexGuard<'static, Option<Process>>,
    target: Value,
    session: Option<String>,
    events: Vec<Value>,
}

impl Browser {
    /// Opens a tab of this size; `None` if no browser is installed or it is left out.
    pub(crate) fn start((width, height): (u32, u32)) -> Option<Browser> {
        if without_engines() || !is_installed("chromium", "apt install chromium") {
            return None;
        }
        let mut process = BROWSER.lock().unwrap_or_else(|failed| {
            // A test failed, so answers to it may still arrive.
            BROWSER.clear_poison();
            let mut process = failed.into_inner();
            *process = None;
            process
        });
        process.get_or_insert_with(Process::start);
        let mut browser =
            Browser { process, target: Value::Null, session: None, events: Vec::new() };
        let target = browser.call("Target.createTarget", json!({"url": "about:blank"}));
        browser.target = target["targetId"].clone();
        let attached = json!({"targetId": browser.target, "flatten": true});
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
        let process = self.process.as_mut().unwrap();
        process.last += 1;
        let mut message = json!({"id": process.last, "method": method, "params": params});
        if let Some(session) = &self.session {
            message["sessionId"] = json!(session);
        }
        process.input.write_all(format!("{message}\0").as_bytes()).unwrap();
        loop {
            let answer = process.messages.recv_timeout(TIMEOUT).expect(method);
            if answer["id"] == process.last {
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
            let messages = &self.process.as_ref().unwrap().messages;
            let event = messages.recv_timeout(TIMEOUT).expect("the page is loaded");
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
        if !thread::panicking() {
            self.session = None;
            self.call("Target.closeTarget", json!({"targetId": self.target}));
        }
    }
}
