# expect: output {"1":"a","(1, 2)":"b","null":"c","false":"d","1.5":"e","2024-01-01":"f"}
import datetime
{1: "a", (1, 2): "b", None: "c", False: "d", 1.5: "e", datetime.date(2024, 1, 1): "f"}
