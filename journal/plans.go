package journal

import (
	"encoding/binary"
	"math"
	"slices"
	"sync"
	"time"
	"unicode/utf8"

	"go.etcd.io/bbolt"

	"groundplan/plan"
	"groundplan/plan/block"
	"groundplan/plan/fault"
)

// maxID bounds ids, idempotency keys and names of worlds and dimensions, in bytes.
const maxID = 512

// planHead is the record of a plan without its cells.
type planHead struct {
	Plan   plan.Plan     `json:"plan"`
	States []block.State `json:"states"` // the palette
	Slices int           `json:"slices"`
	Chunks int           `json:"chunks"` // records that hold the slices
	Kept   int           `json:"kept"`   // records that hold the kept cells
}

// Prefixes of chunk numbers in the bucket of cells.
const (
	chunkSlices = 's'
	chunkKept   = 'k'
)

func chunkKey(at seq, kind byte, chunk int) []byte {
	return binary.BigEndian.AppendUint32(append(at.key(), kind), uint32(chunk))
}

// PutPlan records a plan. It fails with budget_exceeded when too many plans, or
// plans with too many cells, wait to be started; those whose time is over make
// room first. A plan that is there already is left as it is when it is the same,
// and is invalid_request otherwise.
func (j *Journal) PutPlan(p *plan.Plan) error {
	if err := checkPlan(p); err != nil {
		return err
	}
	head, chunks, err := j.encodePlan(p)
	if err != nil {
		return err
	}
	return j.update("put_plan", func(tx *bbolt.Tx) error { return j.putPlan(tx, p, head, chunks) })
}

func (j *Journal) putPlan(tx *bbolt.Tx, p *plan.Plan, head []byte, chunks []planChunk) error {
	if at := seqOf(tx.Bucket(bucketPlanIDs).Get([]byte(p.ID))); at != 0 {
		old, err := j.planHead(tx, at)
		if err != nil {
			return err
		}
		if old.Plan.Hash != p.Hash {
			return fault.Errorf(fault.InvalidRequest, "another plan has the id %q", p.ID)
		}
		return errUnchanged
	}
	if err := j.makeRoom(tx, p); err != nil {
		return err
	}
	n, err := tx.Bucket(bucketPlans).NextSequence()
	if err != nil {
		return err
	}
	at := seq(n)
	for _, chunk := range chunks {
		if err := tx.Bucket(bucketCells).Put(chunkKey(at, chunk.kind, chunk.number), chunk.record); err != nil {
			return err
		}
	}
	if err := tx.Bucket(bucketPlans).Put(at.key(), head); err != nil {
		return err
	}
	if err := tx.Bucket(bucketPlanIDs).Put([]byte(p.ID), at.key()); err != nil {
		return err
	}
	return tx.Bucket(bucketFresh).Put(at.key(), freshValue(p))
}

type planChunk struct {
	kind   byte
	number int
	record []byte
}

func (j *Journal) encodePlan(p *plan.Plan) (head []byte, chunks []planChunk, err error) {
	states := &palette{index: map[block.State]uint64{}}
	h := planHead{Plan: *p, Slices: len(p.Slices)}
	seal := func(kind byte, lists [][]plan.Fill, number *int) error {
		record, err := j.codec.seal(kindCells, encodeFills(lists, states))
		chunks = append(chunks, planChunk{kind: kind, number: *number, record: record})
		*number++
		return err
	}
	for rest := p.Slices; len(rest) > 0; {
		var lists [][]plan.Fill
		for fills := 0; len(rest) > 0 && (len(lists) == 0 || fills+len(rest[0].Fills) <= chunkFills); rest = rest[1:] {
			lists = append(lists, rest[0].Fills)
			fills += len(rest[0].Fills)
		}
		if err := seal(chunkSlices, lists, &h.Chunks); err != nil {
			return nil, nil, err
		}
	}
	for kept := range slices.Chunk(p.Kept, chunkFills) {
		if err := seal(chunkKept, [][]plan.Fill{kept}, &h.Kept); err != nil {
			return nil, nil, err
		}
	}
	h.States = states.states
	for _, s := range h.States {
		if !utf8.ValidString(string(s)) {
			return nil, nil, fault.Errorf(fault.InvalidRequest, "plan %s: a state is not UTF-8", p.ID)
		}
	}
	head, err = j.codec.sealJSON(kindPlan, h)
	return head, chunks, err
}

// checkPlan refuses what could not be read back as it is.
func checkPlan(p *plan.Plan) error {
	for what, text := range map[string]string{"plan_id": p.ID, "project_id": p.Project, "world_id": p.WorldID, "dimension": p.Dimension} {
		if err := checkName(what, text, what == "plan_id"); err != nil {
			return err
		}
	}
	check := func(fills []plan.Fill) error {
		if len(fills) > maxFills {
			return fault.Errorf(fault.BudgetExceeded, "plan %s: a slice of %d fills is over the limit of %d", p.ID, len(fills), maxFills)
		}
		for _, f := range fills {
			if !f.Box.Valid() || !inRange(f.Box.Min.Section()) || !inRange(f.Box.Max.Section()) {
				return fault.Errorf(fault.InvalidRequest, "plan %s: %v is no box of cells", p.ID, f.Box)
			}
		}
		return nil
	}
	for _, s := range p.Slices {
		if err := check(s.Fills); err != nil {
			return err
		}
	}
	for kept := range slices.Chunk(p.Kept, maxFills) {
		if err := check(kept); err != nil {
			return err
		}
	}
	return nil
}

// checkName refuses texts that would not survive as part of a key.
func checkName(what, text string, needed bool) error {
	switch {
	case needed && text == "":
		return fault.Errorf(fault.InvalidRequest, "%s is empty", what)
	case len(text) > maxID:
		return fault.Errorf(fault.InvalidRequest, "%s has %d bytes, more than %d", what, len(text), maxID)
	case !utf8.ValidString(text):
		return fault.Errorf(fault.InvalidRequest, "%s is not UTF-8", what)
	}
	for _, r := range text {
		if r < ' ' || r == 0x7f {
			return fault.Errorf(fault.InvalidRequest, "%s has a control character", what)
		}
	}
	return nil
}

// freshValue is what the bucket of never-started plans holds: expiry, cells.
func freshValue(p *plan.Plan) []byte {
	value := binary.BigEndian.AppendUint64(nil, uint64(max(p.ExpiresAt, 0)))
	return binary.BigEndian.AppendUint64(value, uint64(planCells(p)))
}

// planCells counts the cells that the plan costs to keep.
func planCells(p *plan.Plan) int {
	n := 0
	for _, s := range p.Slices {
		n += s.Cells()
	}
	for _, f := range p.Kept {
		n += f.Box.Volume()
	}
	return n
}

func readFresh(value []byte) (expires time.Time, cells int) {
	if len(value) != 16 {
		return time.Time{}, 0
	}
	ms := min(binary.BigEndian.Uint64(value), math.MaxInt64)
	return time.UnixMilli(int64(ms)), int(min(binary.BigEndian.Uint64(value[8:]), math.MaxInt64))
}

// keepExpired is how long a plan stays after it has expired: who comes late should
// hear that it did, and not that there is none.
const keepExpired = time.Hour

// makeRoom collects plans that expired long ago, and keeps those that wait to be
// started within their quota.
func (j *Journal) makeRoom(tx *bbolt.Tx, p *plan.Plan) error {
	plans, cells := 1, planCells(p)
	limit := func() error {
		switch {
		case plans > j.o.MaxFreshPlans:
			return fault.Errorf(fault.TooManyRequests, "%d plans wait to be started; apply some or let them expire", plans-1).With("limit", j.o.MaxFreshPlans)
		case planCells(p) > j.o.MaxFreshCells:
			return fault.Errorf(fault.BudgetExceeded, "the plan has %d cells, more than all plans that wait to be started may have", planCells(p)).
				With("limit", j.o.MaxFreshCells)
		case cells > j.o.MaxFreshCells:
			return fault.Errorf(fault.TooManyRequests, "the plans that wait to be started would have %d cells together", cells).With("limit", j.o.MaxFreshCells)
		}
		return nil
	}
	count := func() {
		plans, cells = 1, planCells(p)
		for _, value := range entries(tx.Bucket(bucketFresh)) {
			_, n := readFresh(value)
			plans, cells = plans+1, cells+n
		}
	}
	if _, err := j.collect(tx, j.o.Now().Add(-keepExpired)); err != nil {
		return err
	}
	if count(); limit() == nil {
		return nil
	}
	if _, err := j.collect(tx, j.o.Now()); err != nil {
		return err
	}
	count()
	return limit()
}

// Collect removes the plans that were never started and no longer may be, and
// returns how many they were.
func (j *Journal) Collect(now time.Time) (int, error) {
	removed := 0
	err := j.update("collect", func(tx *bbolt.Tx) (err error) {
		if removed, err = j.collect(tx, now); err == nil && removed == 0 {
			return errUnchanged
		}
		return err
	})
	return removed, err
}

func (j *Journal) collect(tx *bbolt.Tx, now time.Time) (int, error) {
	var over []seq
	for key, value := range entries(tx.Bucket(bucketFresh)) {
		if expires, _ := readFresh(value); expires.Before(now) {
			over = append(over, seqOf(key))
		}
	}
	for _, at := range over {
		head, err := j.planHead(tx, at)
		if err != nil {
			return 0, err
		}
		if err := removePlan(tx, at, head.Plan.ID); err != nil {
			return 0, err
		}
		j.plans.drop(head.Plan.ID)
	}
	return len(over), nil
}

func removePlan(tx *bbolt.Tx, at seq, id string) error {
	var keys [][]byte
	for key := range prefixed(tx.Bucket(bucketCells), at.key()) {
		keys = append(keys, slices.Clone(key))
	}
	for _, key := range keys {
		if err := tx.Bucket(bucketCells).Delete(key); err != nil {
			return err
		}
	}
	if err := tx.Bucket(bucketPlans).Delete(at.key()); err != nil {
		return err
	}
	if err := tx.Bucket(bucketPlanIDs).Delete([]byte(id)); err != nil {
		return err
	}
	return tx.Bucket(bucketFresh).Delete(at.key())
}

// Plan returns a plan with all its cells; not_found when there is none. Its
// slices are shared with other callers: they must not be changed.
func (j *Journal) Plan(id string) (*plan.Plan, error) {
	var p *plan.Plan
	err := j.view(func(tx *bbolt.Tx) (err error) {
		p, err = j.plan(tx, id)
		return err
	})
	if err != nil {
		return nil, err
	}
	head := *p
	return &head, nil
}

func (j *Journal) plan(tx *bbolt.Tx, id string) (*plan.Plan, error) {
	at := seqOf(tx.Bucket(bucketPlanIDs).Get([]byte(id)))
	if at == 0 {
		return nil, fault.Errorf(fault.NotFound, "no plan %q", id)
	}
	if p := j.plans.get(id); p != nil {
		return p, nil
	}
	p, err := j.decodePlan(tx, at)
	if err != nil {
		return nil, err
	}
	j.plans.put(p)
	return p, nil
}

func (j *Journal) planHead(tx *bbolt.Tx, at seq) (planHead, error) {
	var head planHead
	return head, j.codec.openJSON(kindPlan, tx.Bucket(bucketPlans).Get(at.key()), &head)
}

func (j *Journal) decodePlan(tx *bbolt.Tx, at seq) (*plan.Plan, error) {
	head, err := j.planHead(tx, at)
	if err != nil {
		return nil, err
	}
	p := &head.Plan
	read := func(kind byte, number int) ([][]plan.Fill, error) {
		payload, err := j.codec.open(kindCells, tx.Bucket(bucketCells).Get(chunkKey(at, kind, number)))
		if err != nil {
			return nil, err
		}
		return decodeFills(payload, head.States)
	}
	for number := range head.Chunks {
		lists, err := read(chunkSlices, number)
		if err != nil {
			return nil, err
		}
		for _, fills := range lists {
			p.Slices = append(p.Slices, plan.Slice{Fills: fills})
		}
	}
	for number := range head.Kept {
		lists, err := read(chunkKept, number)
		if err != nil {
			return nil, err
		}
		for _, fills := range lists {
			p.Kept = append(p.Kept, fills...)
		}
	}
	if len(p.Slices) != head.Slices {
		return nil, damaged(kindPlan, "number of slices")
	}
	return p, nil
}

// Plans returns the plans of a project without their cells, newest first, at most
// limit of them; "" means all projects.
func (j *Journal) Plans(project string, limit int) ([]plan.Plan, error) {
	var plans []plan.Plan
	err := j.view(func(tx *bbolt.Tx) error {
		cursor := tx.Bucket(bucketPlans).Cursor()
		for key, record := cursor.Last(); key != nil && len(plans) < limit; key, record = cursor.Prev() {
			var head planHead
			if err := j.codec.openJSON(kindPlan, record, &head); err != nil {
				return err
			}
			if project == "" || head.Plan.Project == project {
				plans = append(plans, head.Plan)
			}
		}
		return nil
	})
	return plans, err
}

// cachedPlans bounds how many decoded plans are kept: enough for an operation, its
// undo and whoever looks at them.
const cachedPlans = 16

// planCache keeps the plans that were last decoded.
type planCache struct {
	limit int // fills of all plans together

	mu    sync.Mutex // protects the following
	plans []*plan.Plan
}

func (c *planCache) get(id string) *plan.Plan {
	c.mu.Lock()
	defer c.mu.Unlock()
	i := slices.IndexFunc(c.plans, func(p *plan.Plan) bool { return p.ID == id })
	if i < 0 {
		return nil
	}
	p := c.plans[i]
	c.plans = append(slices.Delete(c.plans, i, i+1), p) // the newest is last
	return p
}

func (c *planCache) put(p *plan.Plan) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.plans = append(slices.DeleteFunc(c.plans, func(o *plan.Plan) bool { return o.ID == p.ID }), p)
	total := 0
	for i, p := range slices.Backward(c.plans) {
		total += planFills(p)
		full := total > c.limit || len(c.plans)-i > cachedPlans
		if full && i < len(c.plans)-1 { // one plan always fits: it is in use
			c.plans = slices.Delete(c.plans, 0, i+1)
			return
		}
	}
}

func (c *planCache) drop(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.plans = slices.DeleteFunc(c.plans, func(p *plan.Plan) bool { return p.ID == id })
}

func planFills(p *plan.Plan) int {
	n := len(p.Kept)
	for _, s := range p.Slices {
		n += len(s.Fills)
	}
	return n
}
