package rpc

import (
	"context"

	"groundplan/plan"
	"groundplan/plan/fault"
	"groundplan/recovery"
)

// reviewPage is how many cells one page of a review shows.
const reviewPage = 1024

type reviewParams struct {
	Scope
	Operation string `json:"operation_id" check:"min=1"`
	Detail    string `json:"detail,omitempty" jsonschema:"cells adds the cells, page by page" check:"enum=summary|cells,default=summary"`
	From      int    `json:"from,omitempty" jsonschema:"the first cell of the page" check:"min=0"`
}

// ReviewView is the answer of recovery_review: exactly the prototype's fields,
// and cells only when they are asked for.
type ReviewView struct {
	recovery.Review
	Cells []recovery.Seen `json:"cells,omitempty"`
	Next  int             `json:"next,omitempty" jsonschema:"from of the next page"`
}

func (s *Service) recoveryReview(ctx context.Context, by Caller, p reviewParams) (ReviewView, error) {
	if _, err := s.operation(by, p.Operation); err != nil {
		return ReviewView{}, err
	}
	review, err := s.Runner.Review(ctx, p.Operation)
	if err != nil {
		return ReviewView{}, err
	}
	v := ReviewView{Review: review}
	if p.Detail == "cells" && p.From < len(review.Cells) {
		end := min(p.From+reviewPage, len(review.Cells))
		v.Cells = review.Cells[p.From:end]
		if end < len(review.Cells) {
			v.Next = end
		}
	}
	return v, nil
}

type rulingParams struct {
	Scope
	Operation string `json:"operation_id" check:"min=1"`
	Digest    string `json:"expected_digest" jsonschema:"currentDigest of the last review" check:"min=1"`
	Reason    string `json:"reason,omitempty" jsonschema:"kept with the decision" check:"max=1000"`
}

func (p rulingParams) ruling(by Caller) recovery.Ruling {
	return recovery.Ruling{Operation: p.Operation, Digest: p.Digest, By: by.Principal, Reason: p.Reason}
}

func (s *Service) recoveryAbandon(ctx context.Context, by Caller, p rulingParams) (plan.Operation, error) {
	if _, err := s.operation(by, p.Operation); err != nil {
		return plan.Operation{}, err
	}
	op, err := s.Runner.Abandon(ctx, p.ruling(by))
	return statusOf(op), err
}

func (s *Service) recoveryResume(ctx context.Context, by Caller, p rulingParams) (plan.Operation, error) {
	if _, err := s.operation(by, p.Operation); err != nil {
		return plan.Operation{}, err
	}
	op, err := s.Runner.Resume(ctx, p.ruling(by))
	return statusOf(op), err
}

// RollbackView is the answer of recovery_rollback: the operation that is given
// up, and the one that writes its cells back.
type RollbackView struct {
	Operation plan.Operation `json:"operation"`
	Undo      plan.Operation `json:"undo"`
}

func (s *Service) recoveryRollback(ctx context.Context, by Caller, p rulingParams) (RollbackView, error) {
	if _, err := s.operation(by, p.Operation); err != nil {
		return RollbackView{}, err
	}
	op, undo, err := s.Runner.Rollback(ctx, p.ruling(by))
	return RollbackView{Operation: statusOf(op), Undo: statusOf(undo)}, err
}

// ListView is the answer of recovery_list.
type ListView struct {
	Gate       string           `json:"gate"` // open, shut
	Operations []plan.Operation `json:"operations"`
}

func (s *Service) recoveryList(_ context.Context, by Caller, _ struct{ Scope }) (ListView, error) {
	ids, err := s.Runner.Gate()
	if err != nil {
		return ListView{}, err
	}
	v := ListView{Gate: "open", Operations: []plan.Operation{}}
	if len(ids) > 0 {
		v.Gate = "shut"
	}
	for _, id := range ids {
		op, err := s.operation(by, id)
		if fault.CodeOf(err) == fault.NotFound {
			continue // another project's
		}
		if err != nil {
			return ListView{}, err
		}
		v.Operations = append(v.Operations, op)
	}
	return v, nil
}

// LogView is the answer of recovery_log.
type LogView struct {
	Decisions []plan.Decision `json:"decisions"`
}

func (s *Service) recoveryLog(_ context.Context, by Caller, _ struct{ Scope }) (LogView, error) {
	all, err := s.Journal.Decisions()
	if err != nil {
		return LogView{}, err
	}
	v := LogView{Decisions: []plan.Decision{}}
	for _, d := range all {
		if _, err := s.operation(by, d.Operation); err == nil {
			v.Decisions = append(v.Decisions, d)
		}
	}
	return v, nil
}

type verifyParams struct {
	Scope
	Operations []string `json:"operation_ids,omitempty" jsonschema:"finished operations; without them the newest 64" check:"max=64"`
}

// VerifyView is the answer of recovery_verify.
type VerifyView struct {
	Operations []recovery.Verified `json:"operations" jsonschema:"those that still own cells"`
	Lost       int                 `json:"lost" jsonschema:"cells that the world lost, of all of them"`
}

func (s *Service) recoveryVerify(ctx context.Context, by Caller, p verifyParams) (VerifyView, error) {
	if err := s.allOf(by, p.Operations); err != nil {
		return VerifyView{}, err
	}
	reports, err := s.Runner.Verify(ctx, by.Project.ID, p.Operations)
	if err != nil {
		return VerifyView{}, err
	}
	v := VerifyView{Operations: reports}
	for _, r := range reports {
		v.Lost += r.Lost
	}
	return v, nil
}

// allOf checks that operations are of the caller's project.
func (s *Service) allOf(by Caller, ids []string) error {
	for _, id := range ids {
		if _, err := s.operation(by, id); err != nil {
			return err
		}
	}
	return nil
}

type repairParams struct {
	Scope
	Operations []string `json:"operation_ids" jsonschema:"finished operations, as recovery_verify lists them" check:"min=1,max=64"`
}

func (s *Service) recoveryRepair(ctx context.Context, by Caller, p repairParams) (PlanView, error) {
	if err := s.allOf(by, p.Operations); err != nil {
		return PlanView{}, err
	}
	repair, err := s.Runner.Repair(ctx, by.Project, p.Operations)
	if err != nil {
		return PlanView{}, err
	}
	if err := s.Journal.PutPlan(repair); err != nil {
		return PlanView{}, err
	}
	return viewOf(repair), nil
}
