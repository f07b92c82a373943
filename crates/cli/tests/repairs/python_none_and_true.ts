const lead = None;
return { lead, done: True };
