"""One module of CPython's tests, or the K-th of N parts of its classes: what became of each test, a line of JSON each, into FILE.
`python.py FILE MODULE[:K/N]`."""
import json, os, sys, unittest


class Result(unittest.TestResult):
    def say(self, test, what):
        if os.getpid() == pid:
            out.write(json.dumps([test.id() if hasattr(test, "id") else str(test), what]) + "\n")

    def addSuccess(self, test):
        self.say(test, "ok")

    def addError(self, test, err):
        self.say(test, f"error {err[0].__name__}")

    def addFailure(self, test, err):
        self.say(test, "failure")

    def addSkip(self, test, reason):
        self.say(test, "skipped")

    def addExpectedFailure(self, test, err):
        self.say(test, "expected failure")

    def addUnexpectedSuccess(self, test):
        self.say(test, "unexpected success")

    def addSubTest(self, test, subtest, err):
        if err is not None:
            self.say(test, f"error {err[0].__name__}")


# Processes that a test starts anew load this file, too.
if __name__ == "__main__":
    pid = os.getpid()
    out, whole = open(sys.argv[1], "a", buffering=1), sys.argv[2]
    name, _, part = whole.partition(":")
    sys.argv = [name]
    from test import support

    support.use_resources = ["network", "subprocess", "largefile", "extralargefile"]
    support.verbose = False
    os.makedirs("place", exist_ok=True)
    os.chdir("place")
    try:
        tests = unittest.defaultTestLoader.loadTestsFromName(f"test.{name}")
        if part:
            at, count = map(int, part.split("/"))
            tests = unittest.TestSuite(list(tests)[at - 1 :: count])
        tests(Result())
        out.write(json.dumps([f"{whole} as a whole", "ended"]) + "\n")
    except unittest.SkipTest:
        out.write(json.dumps([f"{whole} as a whole", "skipped"]) + "\n")
    out.close()
    os._exit(0)
