package rpc

import (
	"context"
	"time"

	"groundplan/journal"
	"groundplan/plan"
	"groundplan/plan/fault"
	"groundplan/recovery"
)

// maxWait is the longest that operation_status waits for a change.
const maxWait = 30 * time.Second

type applyParams struct {
	Scope
	Plan string `json:"plan_id" check:"min=1"`
	Hash string `json:"plan_hash" jsonschema:"as build_prepare answered it" check:"min=1"`
	Key  string `json:"idempotency_key" jsonschema:"yours; the same key always gives the same operation" check:"min=1"`
}

func (s *Service) buildApply(_ context.Context, by Caller, p applyParams) (plan.Operation, error) {
	op, err := s.Runner.Apply(by.Project, by.Principal, p.Plan, p.Hash, p.Key)
	return statusOf(op), err
}

type operationParams struct {
	Scope
	Operation string `json:"operation_id" check:"min=1"`
}

type statusParams struct {
	Scope
	Operation string `json:"operation_id" check:"min=1"`
	WaitMS    int    `json:"wait_ms,omitempty" jsonschema:"wait up to this long for a change after since, or for the end" check:"min=0,max=30000"`
	Since     int64  `json:"since,omitempty" jsonschema:"the updated_at that you have seen" check:"min=0"`
}

// StatusView is an operation, and how it gets on while it is applied.
type StatusView struct {
	plan.Operation
	Progress *Progress `json:"progress,omitempty" jsonschema:"while the operation is applying"`
}

// Progress says how fast an operation is and what is left of it.
type Progress struct {
	Commands int     `json:"commands_planned" jsonschema:"of the whole plan; repeats come on top"`
	Rate     float64 `json:"cells_per_second" jsonschema:"written on average since it was started, waiting included"`
	Left     int64   `json:"left_ms" jsonschema:"until the end at that rate; -1 while there is none"`
}

func (s *Service) operationStatus(ctx context.Context, by Caller, p statusParams) (StatusView, error) {
	op, err := s.awaited(ctx, by, p)
	v := StatusView{Operation: op}
	if err != nil || op.Status != plan.Applying {
		return v, err
	}
	applied, err := s.Journal.Plan(op.PlanID)
	if err != nil {
		return v, err
	}
	v.Progress = &Progress{Commands: applied.Commands, Left: -1}
	if ms := s.now() - op.StartedAt; ms > 0 && op.Written > 0 {
		v.Progress.Rate = float64(op.Written) * 1000 / float64(ms)
		v.Progress.Left = int64(float64(op.Total-op.Processed) * 1000 / v.Progress.Rate)
	}
	return v, nil
}

// awaited returns an operation of the caller's project, after a change when that was
// asked for.
func (s *Service) awaited(ctx context.Context, by Caller, p statusParams) (plan.Operation, error) {
	op, err := s.operation(by, p.Operation)
	if err != nil || p.WaitMS == 0 {
		return op, err
	}
	wait, cancel := context.WithTimeout(ctx, min(time.Duration(p.WaitMS)*time.Millisecond, maxWait))
	defer cancel()
	since := p.Since
	if since == 0 {
		since = op.UpdatedAt
	}
	op, err = s.Runner.Wait(wait, p.Operation, since)
	return statusOf(op), err
}

// operation returns an operation of the caller's project.
func (s *Service) operation(by Caller, id string) (plan.Operation, error) {
	op, err := s.Journal.Operation(id)
	if err != nil {
		return plan.Operation{}, err
	}
	if op.Project != by.Project.ID {
		return plan.Operation{}, fault.Errorf(fault.NotFound, "Unknown operation")
	}
	return statusOf(op), nil
}

func (s *Service) operationCancel(_ context.Context, by Caller, p operationParams) (plan.Operation, error) {
	if _, err := s.operation(by, p.Operation); err != nil {
		return plan.Operation{}, err
	}
	op, err := s.Runner.Cancel(p.Operation)
	return statusOf(op), err
}

type undoParams struct {
	Scope
	Operation  string   `json:"operation_id,omitempty"`
	Operations []string `json:"operation_ids,omitempty" jsonschema:"several, the newest first; the plans are to be applied in their order" check:"max=64"`
	Partial    bool     `json:"partial,omitempty" jsonschema:"leave cells that were changed since, and say which" check:"default=false"`
	AllowLoss  bool     `json:"allow_loss,omitempty" jsonschema:"give up what is in the blocks that the operation placed (chest, sign, pot, …)" check:"default=false"`
}

// UndoView is the answer of operation_undo_prepare: the plan of the first
// operation and, with several operations, the others' plans after it.
type UndoView struct {
	UndoPlanView
	Then []UndoPlanView `json:"then,omitempty" jsonschema:"the plans of the other operations, in the order of applying"`
}

// UndoPlanView is one undo plan, and what it restores and leaves.
type UndoPlanView struct {
	PlanView
	Undo recovery.UndoReport `json:"undo"`
}

func (s *Service) undoPrepare(ctx context.Context, by Caller, p undoParams) (UndoView, error) {
	ids := p.Operations
	if p.Operation != "" {
		ids = append([]string{p.Operation}, ids...)
	}
	for _, id := range ids {
		if _, err := s.operation(by, id); err != nil {
			return UndoView{}, err
		}
	}
	undos, err := s.Runner.PrepareUndo(ctx, recovery.UndoRequest{Operations: ids, Partial: p.Partial, AllowLoss: p.AllowLoss})
	if err != nil {
		return UndoView{}, err
	}
	views := make([]UndoPlanView, len(undos))
	for i, undo := range undos {
		if err := s.Journal.PutPlan(undo.Plan); err != nil {
			return UndoView{}, err
		}
		views[i] = UndoPlanView{PlanView: viewOf(undo.Plan), Undo: undo.Report}
	}
	return UndoView{UndoPlanView: views[0], Then: views[1:]}, nil
}

// operationPage is how many operations one page of operation_list has.
const operationPage = 50

type operationListParams struct {
	Scope
	Status string `json:"status,omitempty" jsonschema:"only operations of this status" check:"enum=queued|applying|applied|conflict|cancelled|failed|recovery_required"`
	By     string `json:"by,omitempty" jsonschema:"only operations of this principal" check:"max=64"`
	Before string `json:"before,omitempty" jsonschema:"only operations older than this one" check:"max=64"`
}

// OperationsView is the answer of operation_list.
type OperationsView struct {
	Operations []plan.Operation `json:"operations" jsonschema:"the newest first"`
	Next       string           `json:"next,omitempty" jsonschema:"before of the next page"`
}

func (s *Service) operationList(_ context.Context, by Caller, p operationListParams) (OperationsView, error) {
	ops, err := s.Journal.Operations(journal.Filter{
		Project: by.Project.ID, Status: plan.Status(p.Status), By: p.By, Before: p.Before, Limit: operationPage + 1,
	})
	if err != nil {
		return OperationsView{}, err
	}
	v := OperationsView{Operations: []plan.Operation{}}
	for _, op := range ops[:min(len(ops), operationPage)] {
		v.Operations = append(v.Operations, statusOf(op))
	}
	if len(ops) > operationPage {
		v.Next = ops[operationPage-1].ID
	}
	return v, nil
}
