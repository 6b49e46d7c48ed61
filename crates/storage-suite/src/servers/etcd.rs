//! A private etcd cluster.

use super::free_port;
use super::process::{ChildProcess, directory, find, tail};
use std::path::PathBuf;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};
use tempfile::TempDir;

const MISSING: &str = "etcd's programs (etcd, etcdctl) are missing: install etcd (Debian: `apt install etcd-server \
     etcd-client`)";
const READY_WITHIN: Duration = Duration::from_secs(60);

/// A private etcd cluster.
#[derive(Debug)]
pub struct EtcdCluster {
    directory: TempDir,
    etcd: PathBuf,
    etcdctl: PathBuf,
    settings: Vec<String>,
    members: Vec<EtcdMember>,
}

#[derive(Debug)]
struct EtcdMember {
    client: u16,
    peer: u16,
    process: Option<ChildProcess>,
}

impl EtcdCluster {
    /// Starts a cluster of so many members.
    ///
    /// # Errors
    /// What is missing, or the end of a member's log.
    pub fn start(members: usize) -> Result<Self, String> {
        Self::start_with(members, &[])
    }

    /// Starts one with further flags, as `--name=value`.
    ///
    /// # Errors
    /// What is missing, or the end of a member's log.
    pub fn start_with(members: usize, settings: &[&str]) -> Result<Self, String> {
        let mut failure = String::new();
        for _ in 0..5 {
            // Another process may take a port first; the ports are part of the cluster's data.
            match Self::try_start(members, settings) {
                Ok(cluster) => return Ok(cluster),
                Err(error) => failure = error,
            }
        }
        Err(failure)
    }

    fn try_start(members: usize, settings: &[&str]) -> Result<Self, String> {
        let port = || free_port().map_err(|e| e.to_string());
        let member = |_| {
            Ok(EtcdMember {
                client: port()?,
                peer: port()?,
                process: None,
            })
        };
        let mut cluster = Self {
            directory: directory("etcd")?,
            etcd: find("etcd", &[]).ok_or(MISSING)?,
            etcdctl: find("etcdctl", &[]).ok_or(MISSING)?,
            settings: settings.iter().map(|&s| s.to_owned()).collect(),
            members: (0..members).map(member).collect::<Result<_, String>>()?,
        };
        // All of them before the first is awaited: one member has no quorum, and is never healthy.
        for i in 0..members {
            cluster.run(i)?;
        }
        for i in 0..members {
            cluster.await_member(i)?;
        }
        Ok(cluster)
    }

    /// `etcd://host:port,host:port`, every member.
    #[must_use]
    pub fn url(&self) -> String {
        format!("etcd://{}", self.endpoints().join(","))
    }

    /// `host:port` of every member.
    #[must_use]
    pub fn endpoints(&self) -> Vec<String> {
        let endpoint = |member: &EtcdMember| format!("127.0.0.1:{}", member.client);
        self.members.iter().map(endpoint).collect()
    }

    /// Kills a member as a crash would.
    pub fn kill_member(&mut self, i: usize) {
        self.members[i].process.take();
    }

    /// Starts a member again, with its data and on its ports, and waits for it.
    ///
    /// # Panics
    /// If it does not come back.
    pub fn restart_member(&mut self, i: usize) {
        self.kill_member(i);
        let back = self.run(i).and_then(|()| self.await_member(i));
        back.unwrap_or_else(|e| panic!("{e}"));
    }

    /// Which member leads, by those that answer.
    #[must_use]
    pub fn leader(&self) -> Option<usize> {
        let running = self.members.iter().enumerate();
        let running = running.filter(|(_, member)| member.process.is_some());
        running
            .filter_map(|(i, _)| Some((i, self.status(i)?)))
            // The leader is the member that names itself.
            .find(|(_, status)| status.0 == status.1)
            .map(|(i, _)| i)
    }

    /// A member's id and its leader's.
    fn status(&self, i: usize) -> Option<(u64, u64)> {
        let output = self.ctl(i, &["endpoint", "status", "-w", "json"])?;
        let all: serde_json::Value = serde_json::from_slice(&output).ok()?;
        let status = all.get(0)?.get("Status")?;
        let member = status.get("header")?.get("member_id")?.as_u64()?;
        Some((member, status.get("leader")?.as_u64()?))
    }

    fn ctl(&self, i: usize, arguments: &[&str]) -> Option<Vec<u8>> {
        let output = Command::new(&self.etcdctl)
            .env("ETCDCTL_API", "3")
            .arg(format!("--endpoints={}", self.endpoints()[i]))
            .arg("--dial-timeout=1s")
            .arg("--command-timeout=2s")
            .args(arguments)
            .output()
            .ok()?;
        output.status.success().then_some(output.stdout)
    }

    fn run(&mut self, i: usize) -> Result<(), String> {
        let url = |port: u16| format!("http://127.0.0.1:{port}");
        let cluster: Vec<_> = self
            .members
            .iter()
            .enumerate()
            .map(|(i, member)| format!("m{i}={}", url(member.peer)))
            .collect();
        let member = &self.members[i];
        let (client, peer) = (url(member.client), url(member.peer));
        let data = self.directory.path().join(format!("m{i}"));
        let mut arguments = vec![
            format!("--name=m{i}"),
            format!("--data-dir={}", data.display()),
            format!("--listen-client-urls={client}"),
            format!("--advertise-client-urls={client}"),
            format!("--listen-peer-urls={peer}"),
            format!("--initial-advertise-peer-urls={peer}"),
            format!("--initial-cluster={}", cluster.join(",")),
            "--initial-cluster-state=new".into(),
            "--logger=zap".into(),
            "--log-level=warn".into(),
        ];
        arguments.extend(self.settings.iter().cloned());
        let process = ChildProcess::start(&self.etcd, &arguments, None, &self.log(i))?;
        self.members[i].process = Some(process);
        Ok(())
    }

    fn await_member(&self, i: usize) -> Result<(), String> {
        let begun = Instant::now();
        let runs = |member: &EtcdMember| member.process.as_ref().is_some_and(ChildProcess::runs);
        while runs(&self.members[i]) && begun.elapsed() < READY_WITHIN {
            if self.ctl(i, &["endpoint", "health"]).is_some() {
                return Ok(());
            }
            thread::sleep(Duration::from_millis(50));
        }
        Err(format!("etcd did not start:\n{}", tail(&self.log(i))))
    }

    /// A member's log.
    #[must_use]
    pub fn log(&self, i: usize) -> PathBuf {
        self.directory.path().join(format!("m{i}.log"))
    }
}
