# expect: error call.bad_argument at line 4, column 1: `crm__get_lead` needs `id` (string)
# hint: its description: Id of the lead, such as `L-0042`.
from servers import crm
crm.get_lead()
