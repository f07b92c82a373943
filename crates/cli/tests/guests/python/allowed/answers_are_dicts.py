# expect: output [{"city":"Rome","degrees":-3.5,"days":["mon","tue"],"added":2},true,3,["added","city","days","degrees"]]
import copy, json, pickle
answer = servers.hostile.structured()
answer.city = "Rome"
answer["added"] = 1
answer.added += 1
del answer.station
same = [copy.copy(answer), copy.deepcopy(answer), pickle.loads(pickle.dumps(answer)), json.loads(json.dumps(answer))]
[answer, all(each == answer for each in same), {**answer, "added": 3}["added"], sorted(answer)]
