package plan

func warnings(*differ, *Env) []Hint { return nil }
