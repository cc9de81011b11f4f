# What tests ask of a monitor, at its address.
# usage: page.py ADDRESS wait|pause|continue|snapshot|stop...
# wait: until there are six points in the charts.
import json
import sys
import time
import urllib.request

address = sys.argv[1]


def state():
    return json.load(urllib.request.urlopen(address + "state", timeout=60))


for word in sys.argv[2:]:
    if word == "wait":
        while len(state().get("history", [])) < 6:
            time.sleep(0.2)
    else:
        ask = urllib.request.Request(address + word, method="POST")
        urllib.request.urlopen(ask, timeout=60).read()
    if word == "pause":
        while state()["status"] != "paused":
            time.sleep(0.1)
