package e2e

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// mend starts again what was killed, and checks what came through.
func (s *siege) mend() {
	s.t.Helper()
	for name, p := range map[string]*process{"service": s.service, "world": s.world} {
		if p.ended() && s.doomed == nil {
			s.fail("the %s ended by itself", name)
		}
	}
	if !s.struck() {
		return
	}
	victims := s.victims
	s.doomed, s.victims = nil, 0
	if victims&killService != 0 {
		<-s.service.dead
		if s.random.IntN(20) == 0 {
			if out, errs, code := output(s.t, "--data", s.data, "journal", "check"); code != 0 {
				s.fail("journal check: exit %d\n%s%s", code, out, errs)
			}
		}
		s.startService()
	}
	if victims&killWorld != 0 {
		<-s.world.dead
		if victims&killService == 0 {
			s.stalled()
		}
	}
	unheard := s.resolve()
	if victims&killWorld != 0 {
		s.forget()
		s.startWorld()
	}
	s.connected()
	s.count(victims)
	if victims&killWorld != 0 {
		s.verify()
	}
	s.retry(unheard)
}

// stalled waits until the service has noticed that its world is gone, so that no
// operation ends as applied any more.
func (s *siege) stalled() {
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		running, waiting := false, false
		for _, d := range s.flight {
			if d.running() {
				op, _ := must[operation](s.house, s.agent, "operation_status", object{"operation_id": d.id})
				s.accept(d, op)
				running, waiting = running || d.running(), waiting || op.Waiting
			}
		}
		if waiting || !running {
			return
		}
	}
	s.fail("the world is gone, and no operation waits for it")
}

// resolve asks for the status of everything, and returns the deeds of which the
// service knows nothing.
func (s *siege) resolve() (unheard []*deed) {
	s.t.Helper()
	type page struct {
		Operations []operation `json:"operations"`
	}
	v, _ := must[page](s.house, s.agent, "operation_list", object{})
	byKey := map[string]operation{}
	for _, op := range v.Operations {
		byKey[op.Key] = op
	}
	for _, d := range s.flight {
		if d.kind == "rolling back" && d.id == "" {
			d.key = s.rollbackKey(d)
		}
		op, known := byKey[d.key]
		switch {
		case known:
			s.accept(d, op)
		case d.id != "":
			s.fail("operation %s of key %s is gone", d.id, d.key)
		case d.kind != "rolling back":
			unheard = append(unheard, d)
		}
	}
	s.flight = slices.DeleteFunc(s.flight, func(d *deed) bool { return d.id == "" })
	return unheard
}

// rollbackKey returns the key under which a rollback that was not answered runs,
// if it was decided.
func (s *siege) rollbackKey(d *deed) string {
	for _, ruling := range s.rulings() {
		if ruling.Operation == d.of.id && ruling.Verdict == "rollback" {
			key := "rollback " + ruling.ID
			if !slices.ContainsFunc(s.list(), func(op operation) bool { return op.Key == key }) {
				s.fail("the rollback of %s was decided (%s), and no operation writes its cells back", d.of.id, ruling.ID)
			}
			return key
		}
	}
	return ""
}

// decision is an entry of recovery_log.
type decision struct {
	ID        string `json:"decision_id"`
	Operation string `json:"operation_id"`
	Verdict   string `json:"verdict"`
	Digest    string `json:"digest"`
	Reason    string `json:"reason"`
}

func (s *siege) rulings() []decision {
	type log struct {
		Decisions []decision `json:"decisions"`
	}
	v, _ := must[log](s.house, s.admin, "recovery_log", nil)
	return v.Decisions
}

// forget goes on from what a dead world had saved.
func (s *siege) forget() {
	file, stray, err := readFile(s.worldDir())
	if err != nil {
		s.fail("the file of a world that was killed: %v", err)
	}
	if len(stray) > 0 {
		s.fail("blocks outside of every plan: %v", stray)
	}
	lost, err := s.saved(file)
	if err != nil {
		s.fail("%v", err)
	}
	for d, cells := range lost {
		s.note("%s lost %d cells", d.describe(), len(cells))
		if s.lost[d] == nil {
			s.lost[d] = map[int]string{}
		}
		for _, c := range cells {
			s.lost[d][c] = file[c]
		}
	}
	if len(lost) > 0 {
		s.hits["acknowledged operations lost in the world's tail"] += len(lost)
	}
}

// verified is an operation in the answer of recovery_verify.
type verified struct {
	Operation string `json:"operation_id"`
	Lost      int    `json:"lost"`
	Foreign   int    `json:"foreign"`
}

// verify asks what the world lost: it must be told of every cell that an
// acknowledged operation wrote and the world's file does not have.
func (s *siege) verify() {
	s.t.Helper()
	type report struct {
		Operations []verified `json:"operations"`
	}
	v, _ := must[report](s.house, s.admin, "recovery_verify", nil)
	for d, cells := range s.lost {
		told := 0
		for _, r := range v.Operations {
			if r.Operation == d.id {
				told = r.Lost + r.Foreign
			}
		}
		if told < len(cells) {
			s.fail("%s: the world lost %d cells, and recovery_verify tells of %d", d.describe(), len(cells), told)
		}
	}
}

// forgotten expects project_context to name the operations of which the world
// lost cells, and now and then has one repaired.
func (s *siege) forgotten() {
	s.t.Helper()
	for _, d := range s.ended { // in an order that a seed repeats
		cells := s.lost[d]
		maps.DeleteFunc(cells, func(c int, text string) bool { return s.base[c] != text || !s.known(d, c) })
		// The service looks when it has been idle for two seconds: too long to
		// wait for each time.
		if len(cells) > 0 && s.random.IntN(4) == 0 && !s.named(d) {
			s.fail("%s: the world lost %d cells, and project_context does not say so", d.describe(), len(cells))
		}
	}
	for _, d := range s.ended {
		if cells := s.lost[d]; len(cells) > 0 && s.random.IntN(2) == 0 {
			s.repair(d, cells)
			break // the others may be built upon it
		}
	}
	clear(s.lost)
}

// known reports whether a cell, lost by an operation, is as that or one of the
// newest ahead of it found it: then its loss can be told from an edit.
func (s *siege) known(d *deed, c int) bool {
	if s.base[c] == d.before[c] {
		return true
	}
	mine := slices.Index(s.ended, d)
	return mine >= 0 && slices.ContainsFunc(s.ended[max(0, mine-20):mine], func(older *deed) bool {
		before, wrote := older.before[c]
		return wrote && before == s.base[c]
	})
}

// contextView is what the siege reads of project_context.
type contextView struct {
	World struct {
		Connected bool `json:"connected"`
	} `json:"world"`
	Forgotten []verified `json:"forgotten"`
	Gate      struct {
		Open       bool     `json:"open"`
		Operations []string `json:"operations"`
	} `json:"gate"`
}

// named waits for project_context to name an operation that lost cells.
func (s *siege) named(d *deed) bool {
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		v, _ := must[contextView](s.house, s.agent, "project_context", nil)
		if slices.ContainsFunc(v.Forgotten, func(f verified) bool { return f.Operation == d.id && f.Lost > 0 }) {
			return true
		}
	}
	return false
}

// repair has the lost cells of an operation written again.
func (s *siege) repair(d *deed, lost map[int]string) {
	plan, _ := must[planned](s.house, s.admin, "recovery_repair_prepare", object{"operation_ids": []string{d.id}})
	repair := &deed{planned: plan, kind: "repairing", want: map[int]string{}, before: map[int]string{}, loose: map[int]bool{}}
	for c, text := range d.want {
		if s.base[c] != text {
			repair.want[c], repair.before[c] = text, s.base[c]
			_, sure := lost[c]
			repair.loose[c] = !sure
		}
	}
	if plan.Changed < len(lost) || plan.Changed > len(repair.want) {
		s.fail("%s lost %d cells, and the repair has %d", d.describe(), len(lost), plan.Changed)
	}
	s.submit(repair)
	if !s.await() || !s.look() {
		s.fail("the repair of %s did not end", d.describe())
	}
	s.hits["repairs of what the world lost"]++
}

// connected waits until the service has its world.
func (s *siege) connected() {
	s.t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if v, _ := must[contextView](s.house, s.agent, "project_context", nil); v.World.Connected {
			return
		}
	}
	s.fail("the world does not come back")
}

// count notes what a kill hit.
func (s *siege) count(victims int) {
	who := map[int]string{killService: "service", killWorld: "world", killService | killWorld: "both"}[victims]
	what := "idle"
	for _, d := range s.flight {
		if d.final() {
			continue
		}
		what = "an operation waiting"
		if victims&killService != 0 {
			r, _ := must[review](s.house, s.admin, "recovery_review", object{"operation_id": d.id})
			if r.Positions == 0 {
				continue
			}
		}
		what = d.kind
		if d.resumed {
			what = "resuming"
		}
		break
	}
	s.hits["killed: "+who+", "+what]++
}

// retry sends what was never answered once more, under the same key.
func (s *siege) retry(unheard []*deed) {
	for _, d := range unheard {
		a, err := s.ask(s.agent, "build_apply", d.under(d.key))
		switch {
		case err != nil:
			s.fail("build_apply got no answer and nobody was killed: %v", err)
		case a.OK:
			s.flight = append(s.flight, d)
			s.accept(d, decode[operation](s.t, "build_apply", a))
		case a.Error.Code == "recovery_required":
			s.refusals[d.key] = true
		default:
			s.fail("build_apply was refused: %+v", a.Error)
		}
	}
}

// gate checks that the service lists exactly the operations that a crash
// interrupted, and that it accepts nothing new meanwhile. ok is false when
// somebody was killed first.
func (s *siege) gate() (undecided []*deed, ok bool) {
	s.t.Helper()
	type list struct {
		Gate       string      `json:"gate"`
		Operations []operation `json:"operations"`
	}
	v, ok := must[list](s.house, s.admin, "recovery_list", nil)
	if !ok {
		return nil, false
	}
	listed := map[string]bool{}
	for _, op := range v.Operations {
		listed[op.OperationID] = true
	}
	for _, d := range s.flight {
		if d.told.Status == "recovery_required" {
			undecided = append(undecided, d)
			if !listed[d.id] {
				s.fail("%s needs a decision and is not listed", d.describe())
			}
		}
	}
	if len(listed) != len(undecided) || (v.Gate == "shut") != (len(undecided) > 0) {
		s.fail("the gate is %s with %v; undecided are %d", v.Gate, v.Operations, len(undecided))
	}
	if len(undecided) == 0 {
		return nil, true
	}
	return undecided, s.shut(undecided[0])
}

// shut checks that nothing begins while the gate is shut, and that a key that is
// known goes on giving its operation.
func (s *siege) shut(d *deed) bool {
	s.t.Helper()
	s.keys++
	key := fmt.Sprintf("probe-%d", s.keys)
	plan, ok := must[planned](s.house, s.agent, "build_prepare", object{"recipe": recipe(box(at(0), at(0), "obsidian"))})
	if !ok {
		return false
	}
	s.refusals[key] = true
	for _, try := range []struct {
		token, method string
		params        object
		code          string
	}{
		{s.agent, "build_apply", plan.under(key), "recovery_required"},
		{s.agent, "recovery_review", object{"operation_id": d.id}, "permission_denied"},
		{s.agent, "recovery_abandon", object{"operation_id": d.id, "expected_digest": strings.Repeat("0", 64)}, "permission_denied"},
	} {
		a, err := s.ask(try.token, try.method, try.params)
		if err != nil {
			s.excuse(try.method, err)
			return false
		}
		if a.OK || a.Error.Code != try.code {
			s.fail("%s with the gate shut gave %s %+v", try.method, a.Result, a.Error)
		}
	}
	s.hits["gates tried"]++
	if d.kind == "rolling back" {
		return true // nobody has its key
	}
	op, ok := must[operation](s.house, s.agent, "build_apply", d.under(d.key))
	if ok {
		s.accept(d, op) // the same operation, as it is
	}
	return ok
}

// decide lets an admin decide about one operation, and perhaps somebody die
// meanwhile.
func (s *siege) decide(undecided []*deed) {
	if s.doomed == nil && !s.look() {
		return
	}
	d := undecided[s.random.IntN(len(undecided))]
	if s.spare > 0 && s.doomed == nil && s.random.IntN(3) == 0 {
		s.armAny(time.Duration(1+s.random.IntN(100)) * time.Millisecond)
	}
	r, mask, ok := s.review(d)
	if !ok {
		return
	}
	verdict := []string{"abandon", "resume", "rollback"}[s.random.IntN(3)]
	if len(mask) > 0 && s.doomed == nil && s.random.IntN(5) == 0 {
		if r, ok = s.disturb(d, r, mask); !ok {
			return
		}
	}
	if verdict != "abandon" && r.ForeignStates > 0 {
		// The world lost what the operation was built upon, or somebody was there.
		if s.doomed == nil {
			s.refuses(d, verdict, r.CurrentDigest, "conflict")
		}
		verdict = "abandon"
	}
	s.rule(d, r, mask, verdict)
	if s.random.IntN(2) == 0 {
		s.await()
	}
}

// seen is a cell of a review.
type seen struct {
	Pos     pos    `json:"pos"`
	Before  string `json:"before"`
	After   string `json:"after"`
	Current string `json:"current"`
	Face    string `json:"face"`
}

// review reviews an operation and checks the answer against the model; it returns
// how each cell looks.
func (s *siege) review(d *deed) (r review, faces map[int]string, ok bool) {
	s.t.Helper()
	type page struct {
		review
		Cells []seen `json:"cells"`
		Next  int    `json:"next"`
	}
	faces = map[int]string{}
	sets := s.allowed()
	counts := map[string]int{}
	for from := 0; ; {
		v, ok := must[page](s.house, s.admin, "recovery_review", object{"operation_id": d.id, "detail": "cells", "from": from})
		if !ok {
			return r, nil, false
		}
		for _, one := range v.Cells {
			c, inside := cellAt(one.Pos)
			want, planned := d.want[c]
			if !inside || !planned || one.After != want || one.Before != d.before[c] || !slices.Contains(sets[c], one.Current) {
				s.fail("review of %s has %+v; planned was %s to %s, and there may be %v", d.describe(), one, d.before[c], want, sets[c])
			}
			faces[c] = one.Face
			counts[one.Face]++
		}
		r = v.review
		if from = v.Next; from == 0 {
			break
		}
	}
	if r.OperationID != d.id || r.Positions != len(faces) || r.MatchesBefore != counts["before"] || r.MatchesAfter != counts["after"] || r.ForeignStates != counts["foreign"] || len(r.CurrentDigest) != 64 {
		s.fail("review of %s is %+v with the cells %v", d.describe(), r, counts)
	}
	return r, faces, true
}

// disturb has somebody edit a cell after the review: decisions that rest on it
// are refused, and then all that would write.
func (s *siege) disturb(d *deed, r review, mask map[int]string) (review, bool) {
	s.t.Helper()
	s.edit(slices.Min(slices.Collect(maps.Keys(mask))))
	for _, verdict := range []string{"abandon", "resume", "rollback"} {
		s.refuses(d, verdict, r.CurrentDigest, "invalid_request")
	}
	r, faces, ok := s.review(d)
	if !ok || !slices.Contains(slices.Collect(maps.Values(faces)), "foreign") {
		s.fail("%s: the review does not see the edit: %+v", d.describe(), r)
	}
	s.hits["stale digests refused"]++
	return r, true
}

func (s *siege) refuses(d *deed, verdict, digest, code string) {
	s.t.Helper()
	a, err := s.ask(s.admin, "recovery_"+verdict, object{"operation_id": d.id, "expected_digest": digest})
	if err != nil || a.OK || a.Error.Code != code {
		s.fail("recovery_%s of %s gave %s %+v %v, want %s", verdict, d.describe(), a.Result, a.Error, err, code)
	}
}

// rule makes a decision.
func (s *siege) rule(d *deed, r review, mask map[int]string, verdict string) {
	s.t.Helper()
	params := object{"operation_id": d.id, "expected_digest": r.CurrentDigest, "reason": "siege"}
	if verdict == "rollback" {
		back := &deed{kind: "rolling back", of: d, want: map[int]string{}, before: map[int]string{}}
		for c, face := range mask {
			if face == "after" {
				back.want[c], back.before[c] = d.before[c], d.want[c]
			}
		}
		type rolled struct {
			Operation operation `json:"operation"`
			Undo      operation `json:"undo"`
		}
		s.flight = append(s.flight, back)
		if v, ok := must[rolled](s.house, s.admin, "recovery_rollback", params); ok {
			s.accept(d, v.Operation)
			back.key = v.Undo.Key
			s.accept(back, v.Undo)
			s.ruled(d, verdict, "failed")
		}
		return
	}
	op, ok := must[operation](s.house, s.admin, "recovery_"+verdict, params)
	if !ok {
		return
	}
	s.accept(d, op)
	if verdict == "abandon" {
		s.ruled(d, verdict, "failed")
		return
	}
	d.resumed = true
	s.ruled(d, verdict, "applying", "queued")
}

func (s *siege) ruled(d *deed, verdict string, statuses ...string) {
	if !slices.Contains(statuses, d.told.Status) {
		s.fail("after %s %s is %s", verdict, d.describe(), d.told.Status)
	}
	s.hits["decided: "+verdict]++
}
