#include <unistd.h>

#include <cstdlib>

#include "tests/core/stack/json/schema_check.h"
#include "tests/e2e/hosts_fixture.h"

namespace highwater::e2e {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

/// A host whose PATH is a folder of the test, with the programs that the test puts there.
class HostCheck : public HostsTest {
protected:
    void SetUp() override {
        HostsTest::SetUp();
        if (IsSkipped()) {
            return;
        }
        fs::create_directories(tools());
        for (const char* tool : {"sh",     "bash",      "uname", "getconf", "sed",  "head", "tail", "mkdir",
                                 "cat",    "df",        "cut",   "tar",     "gzip", "rm",   "mv",   "sleep",
                                 "setsid", "sha256sum", "grep",  "ln",      "env",  "touch"}) {
            for (const char* folder : {"/usr/bin", "/bin"}) {
                if (fs::exists(fs::path(folder) / tool) && !fs::exists(tools() / tool)) {
                    fs::create_symlink(fs::path(folder) / tool, tools() / tool);
                }
            }
        }
        startServer({{"PATH", tools().string()}});
        if (!IsSkipped()) {
            addHost();
        }
    }
    fs::path tools() const { return folder_.path() / "tools" / "bin"; }
    void tool(const std::string& name, const std::string& script) const {
        std::ofstream(tools() / name) << "#!/bin/sh\n" << script << "\n";
        fs::permissions(tools() / name, fs::perms::owner_all);
    }
    void addCompiler() const {
        tool("c++", R"(case $1 in --version) echo "c++ 12.2.0";; *) echo 12.2.0;; esac)");
        tool("make", "exit 0");
    }
    void addTorch() const {
        tool(
            "python3",
            R"(case $1 in --version) echo "Python 3.11.2";; *) echo torch_place=/venv/torch; echo torch=2.6.0;; esac)");
    }
    /// Its build uses the programs of this build.
    void addCmake(const std::string& atBuild = "") const {
        tool("cmake", R"(case $1 in
  --version) echo "cmake version 3.25.1";;
  --build) echo "[1/2] Building CXX object"; )" +
                          atBuild + R"(
    ln -s )" + programPath("highwater-host").string() +
                          " " + programPath("highwater-engine").string() + R"( build/bin;;
  *) echo "$@" > configured; mkdir -p build/bin;;
esac)");
    }
};

TEST_F(HostCheck, SaysInOneLineWhatIsMissing) {
    addTorch();
    expectOneLine(hosts({"check", "box"}), 4,
                  "host box lacks a C++ compiler (g++ 11 or newer), CMake (3.25 or newer");
    addCompiler(), addCmake();
    fs::remove(tools() / "python3");
    const Finished torchless = hosts({"check", "box"});
    expectOneLine(torchless, 4, "host box lacks LibTorch (a Python with torch");
    EXPECT_THAT(torchless.out, HasSubstr("12.2.0"));
    addTorch();
    tool("c++", R"(case $1 in --version) echo "c++ 9.4.0";; *) echo 9.4.0;; esac)");
    expectOneLine(hosts({"check", "box"}), 4, "a newer C++ compiler than 9.4.0");
    EXPECT_FALSE(fs::exists(engineThere()));  // nothing was sent
}

TEST_F(HostCheck, BuildsTheEngineOnceAVersionAndPython) {
    addCompiler(), addTorch(), addCmake();
    const Finished built = hosts({"check", "box"});
    EXPECT_EQ(built.exit, 0) << built.err;
    EXPECT_THAT(built.out, HasSubstr("built for this version"));
    EXPECT_TRUE(fs::exists(engineThere() / "source" / "core" / "engine"));
    EXPECT_TRUE(fs::exists(engineThere() / "source" / "headers" / "fmt" / "format.h"));
    EXPECT_THAT(textOf(engineThere() / "build.log"), HasSubstr("[1/2] Building CXX object"));
    const std::string configured = textOf(engineThere() / "configured");
    EXPECT_THAT(configured, HasSubstr("-DHIGHWATER_MINIMAL=ON"));
    EXPECT_THAT(configured, Not(HasSubstr("HIGHWATER_PYTHON")));

    EXPECT_EQ(cli({"run", experiment(), "--steps", "2", "--host", "box"}).exit, 0);
    fs::remove(engineThere() / "configured");
    EXPECT_EQ(hosts({"check", "box"}).exit, 0);
    EXPECT_FALSE(fs::exists(engineThere() / "configured"));  // it was there already

    const std::string python = (tools() / "python3").string();
    ASSERT_EQ(hosts({"add", "box", "loopback", "--python", python}).exit, 0);
    EXPECT_EQ(hosts({"check", "box"}).exit, 0);
    EXPECT_THAT(textOf(engineThere() / "configured"), HasSubstr("-DHIGHWATER_PYTHON=" + python));
}

TEST_F(HostCheck, ThisMachineIsAHostWithoutSsh) {
    const std::string path = std::getenv("PATH");
    setenv("PATH", tools().c_str(), 1);  // a PATH without ssh
    setenv("XDG_CACHE_HOME", cache().c_str(), 1);
    addTorch();
    const std::string python = (tools() / "python3").string();
    EXPECT_EQ(hosts({"add", "mine", ".", "--python", python}).exit, 0);
    EXPECT_THAT(hosts({"list"}).out, HasSubstr("this machine"));
    expectOneLine(hosts({"check", "mine"}), 4, "host mine lacks a C++ compiler (g++ 11 or newer), CMake");
    EXPECT_FALSE(fs::exists(engineThere()));
    expectOneLine(cli({"run", experiment(), "--host", "mine"}), 4, "host mine is not prepared");
    addCompiler(), addCmake();
    const Finished built = hosts({"check", "mine"});
    EXPECT_EQ(built.exit, 0) << built.err;
    EXPECT_THAT(textOf(engineThere() / "configured"), HasSubstr("-DHIGHWATER_PYTHON=" + python));
    const Finished run = cli({"run", experiment(), "--steps", "2", "--host", "mine"});
    EXPECT_EQ(run.exit, 0) << run.err;
    EXPECT_EQ(runs()[0]["status"], "done");
    expectOneLine(hosts({"check", "box"}), 4, "ssh is not on PATH");  // the other tests need it
    unsetenv("XDG_CACHE_HOME");
    setenv("PATH", path.c_str(), 1);
}

TEST_F(HostCheck, ABuildThatFailsSaysWhyAndWhereItsLogIs) {
    addCompiler(), addTorch();
    addCmake("echo 'a.cpp:3: error: no such thing'; exit 1;");
    expectOneLine(
        hosts({"check", "box"}), 4,
        "the engine was not built: a.cpp:3: error: no such thing; the log is " + engineThere().string());
    addCmake();
    EXPECT_EQ(hosts({"check", "box"}).exit, 0);  // and again
}

TEST_F(HostCheck, ABuildOutlivesTheConnection) {
    addCompiler(), addTorch();
    addCmake("while [ ! -e go ]; do sleep 0.1; done;");
    Program check("highwater-cli", {"hosts", "check", "box"}, folder_.path());
    ASSERT_TRUE(
        eventually([&] { return textOf(engineThere() / "build.log").find("[1/2]") != std::string::npos; }));
    server_->cutConnections();
    expectOneLine(check.wait(), 4, "host box: ");
    const std::string pid = textOf(engineThere() / "building" / "pid");
    Program again("highwater-cli", {"hosts", "check", "box"}, folder_.path());
    std::this_thread::sleep_for(std::chrono::milliseconds(1500));
    EXPECT_EQ(textOf(engineThere() / "building" / "pid"), pid);  // the same build was followed
    std::ofstream(engineThere() / "go") << "";
    EXPECT_EQ(again.wait().exit, 0);
}

TEST_F(HostCheck, AnUnknownKeyIsRefusedAndAChangedOneToo) {
    addCompiler(), addTorch(), addCmake();
    const std::string known = textOf(server_->knownHosts());
    fs::remove(server_->knownHosts());  // otherwise the client's own configuration would accept it
    expectOneLine(hosts({"check", "box"}), 4, "its key is not known; connect once with `ssh loopback`");
    EXPECT_EQ(textOf(server_->knownHosts()), "");
    const std::string start = known.substr(0, known.find(' '));
    std::ofstream(server_->knownHosts())
        << start << " ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\n";
    expectOneLine(hosts({"check", "box"}), 4, "its key is not the known one");
    std::ofstream(server_->knownHosts()) << known;
    EXPECT_EQ(hosts({"check", "box"}).exit, 0);
    EXPECT_EQ(fs::remove(folder_.path() / "ssh" / "authorized_keys"), true);
    expectOneLine(hosts({"check", "box"}), 4, "accepts none of your keys");
}

TEST_F(HostCheck, AFullDiskIsSaid) {
    addCompiler(), addTorch(), addCmake();
    const SmallDisk disk(cache(), "size=64k");
    if (!disk.problem().empty()) {
        GTEST_SKIP() << disk.problem();
    }
    expectOneLine(hosts({"check", "box"}), 4, "free, and the engine's build takes 1.00 GiB");
}

TEST_F(HostCheck, JsonFitsItsSchemas) {
    addCompiler(), addTorch(), addCmake();
    tool("nvidia-smi", "echo 'NVIDIA H100 80GB HBM3, 550.54.15, 81559 MiB'");
    testing::SchemaCheck check;
    const Finished list = hosts({"list", "--json"});
    EXPECT_EQ(check.problem("hosts.json", parse(list.out)), "") << list.out;
    const Finished looked = hosts({"check", "box", "--look-only", "--json"});
    EXPECT_EQ(looked.exit, 0) << looked.err;
    const Json facts = parse(looked.out);
    EXPECT_EQ(check.problem("hosts-check.json", facts), "") << looked.out;
    EXPECT_EQ(facts["ready"], false);
    EXPECT_EQ(facts["libtorch"], "2.6.0");
    EXPECT_EQ(facts["gpus"][0]["name"], "NVIDIA H100 80GB HBM3");
    EXPECT_EQ(facts["gpus"][0]["memory_bytes"], 81559LL << 20);
    EXPECT_FALSE(fs::exists(engineThere()));
    // What the window offers afterwards.
    const Json known = parse(textOf(folder_.path() / "config" / "highwater" / "hosts" / "box.json"));
    EXPECT_EQ(known["gpus"][0]["name"], "NVIDIA H100 80GB HBM3");
    EXPECT_EQ(known["torch"], "2.6.0");
    EXPECT_EQ(parse(hosts({"check", "box", "--json"}).out)["ready"], true);
}

/// Names that would be options, commands or paths if they reached ssh or a shell.
class HostNames : public CliTest {
protected:
    void SetUp() override { setenv("XDG_CONFIG_HOME", (folder_.path() / "config").c_str(), 1); }
    Finished hosts(std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), "hosts");
        return cli(arguments);
    }
    fs::path marker() const { return folder_.path() / "executed"; }
    fs::path file() const { return folder_.path() / "config" / "highwater" / "hosts.json"; }
};

TEST_F(HostNames, AreRestrictedAndNothingIsExecuted) {
    const std::string touch = "touch " + marker().string();
    const std::vector<std::string> wrong = {"-oProxyCommand=" + touch,
                                            "a@-oProxyCommand=" + touch,
                                            "$(" + touch + ")",
                                            "a;" + touch,
                                            "a b",
                                            "a@b@c",
                                            "@",
                                            "a@",
                                            ""};
    for (const std::string& bad : wrong) {
        expectRefusal(hosts({"add", "box", "--", bad}), "is not an address");
        expectRefusal(hosts({"add", "--", bad, "anna@lab"}), "cannot be a host's name");
        expectRefusal(hosts({"add", "box", "anna@lab", "--python=/bin/" + bad + "'"}),
                      "is not a path of a Python");
        expectRefusal(hosts({"check", "--", bad}), "no host \"");
    }
    expectRefusal(hosts({"add", "box", "-oProxyCommand=" + touch}), "hosts add --help");
    expectRefusal(hosts({"check", "-oProxyCommand=" + touch}), "hosts check --help");
    EXPECT_FALSE(fs::exists(file()));
    // The same in a file.
    fs::create_directories(file().parent_path());
    for (const char* key : {"name", "destination", "python"}) {
        Json host = {{"name", "box"}, {"destination", "anna@lab"}, {"python", "/bin/python"}};
        host[key] = "-oProxyCommand=" + touch;
        std::ofstream(file()) << Json({{"schema", "highwater.hosts/1"}, {"hosts", Json::array({host})}});
        expectRefusal(hosts({"check", host["name"] == "box" ? "box" : "x"}), "hosts.json: /hosts/0");
        expectRefusal(cli({"run", experiment(), "--host", "box"}), "hosts.json: /hosts/0");
    }
    EXPECT_FALSE(fs::exists(marker()));
}

TEST_F(HostNames, AreListedChangedAndRemoved) {
    EXPECT_THAT(hosts({"list"}).out, HasSubstr("no hosts"));
    EXPECT_EQ(hosts({"add", "lab", "anna@lab.example.org", "--python", "/home/anna/venv/bin/python"}).exit,
              0);
    EXPECT_EQ(hosts({"add", "six", "fe80::1"}).exit, 0);
    EXPECT_EQ(hosts({"add", "six", "bert@::1"}).exit, 0);
    const Json list = parse(hosts({"list", "--json"}).out)["hosts"];
    ASSERT_EQ(list.size(), 2U);
    EXPECT_EQ(list[0]["python"], "/home/anna/venv/bin/python");
    EXPECT_EQ(list[1]["destination"], "bert@::1");
    EXPECT_THAT(hosts({"list"}).out, HasSubstr("anna@lab.example.org"));
    expectRefusal(hosts({"remove", "lob"}), "no host \"lob\"; there are lab, six");
    EXPECT_EQ(hosts({"remove", "lab"}).exit, 0);
    EXPECT_EQ(parse(hosts({"list", "--json"}).out)["hosts"].size(), 1U);
    for (const char* damaged :
         {"", "[]", R"({"schema": "highwater.hosts/2", "hosts": []})",
          R"({"schema": "highwater.hosts/1", "hosts": 3})",
          R"({"schema": "highwater.hosts/1", "hosts": [{"name": "a"}]})",
          R"({"schema": "highwater.hosts/1", "hosts": [{"name": "a", "destination": "b", "port": 3}]})"}) {
        std::ofstream(file()) << damaged;
        expectRefusal(hosts({"list"}), "hosts.json");
        expectRefusal(hosts({"add", "b", "c"}), "hosts.json");
        EXPECT_EQ(textOf(file()), damaged);  // the previous content is not lost
    }
}

}  // namespace
}  // namespace highwater::e2e
