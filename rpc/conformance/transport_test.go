package conformance

import (
	"strings"
	"testing"
)

// T: the transport's answers, each a structured body.
func TestTransport(t *testing.T) {
	s := open(t)
	agent := "Authorization: Bearer " + s.agent
	call := `{"method":"project_context","params":{},"requestId":"conformance"}`
	for _, c := range []struct {
		name, verb, path, body string
		headers                []string
		status                 int
		code                   string
	}{
		{"T1 health", "GET", "/health", "", nil, 200, ""},
		{"T1 health, longer path", "GET", "/health/x", "", nil, 404, "not_found"},
		{"T2 no token", "POST", "/v1/rpc", call, nil, 403, "permission_denied"},
		{"T2 a wrong token", "POST", "/v1/rpc", call, []string{"Authorization: Bearer wrong"}, 403, "permission_denied"},
		{"T2 the wrong verb", "GET", "/v1/rpc", "", []string{agent}, 405, "method_not_allowed"},
		{"T2 a longer path", "POST", "/v1/rpc/x", call, []string{agent}, 405, "method_not_allowed"},
		{"T3 too large", "POST", "/v1/rpc", strings.Repeat(" ", 1<<20+1), []string{agent}, 413, "request_too_large"},
		{"T3 no JSON", "POST", "/v1/rpc", "nonsense", []string{agent}, 400, "invalid_request"},
		{"T4 a web page", "POST", "/v1/rpc", call, []string{agent, "Origin: http://localhost"}, 403, "permission_denied"},
		{"T4 a foreign host", "POST", "/v1/rpc", call, []string{agent, "Host: example.com"}, 403, "permission_denied"},
		{"a good call", "POST", "/v1/rpc", call, []string{agent}, 200, ""},
		{"an unknown method", "POST", "/v1/rpc", `{"method":"nothing"}`, []string{agent}, 400, "unsupported_method"},
	} {
		a := s.send(t, c.verb, c.path, c.body, c.headers...)
		if a.Status != c.status || a.Error.Code != c.code {
			t.Errorf("%s: %d %s; want %d %s", c.name, a.Status, a.Body, c.status, c.code)
		}
		if strings.Contains(string(a.Body), s.agent) || strings.Contains(string(a.Body), s.admin) {
			t.Errorf("%s: the answer has a token", c.name)
		}
	}
}

// T5: who may do what.
func TestScopesAndRoles(t *testing.T) {
	s := open(t)
	s.refused(t, "project_context", obj{"project_id": "nobody's"}, "permission_denied")
	s.refused(t, "project_context", obj{"player_id": "00000000-0000-0000-0000-000000000000"}, "permission_denied")
	for _, method := range []string{"recovery_review", "recovery_abandon"} {
		s.refused(t, method, obj{"operation_id": "x", "expected_digest": strings.Repeat("0", 64)}, "permission_denied", "invalid_request")
	}
	context := s.call(t, "project_context", obj{})
	for field := range strings.FieldsSeq(`schema_version project_id world_id world_epoch region max_plan_blocks parts parts_total operations operations_total
		truncated recipe capabilities limitations`) {
		if _, ok := context[field]; !ok {
			t.Errorf("project_context has no %s", field)
		}
	}
	region := context["region"].(obj)
	if region["worldId"] != context["world_id"] || region["min"] == nil || region["max"] == nil {
		t.Errorf("region %v", region)
	}
	if *profile == "prototype" {
		want(t, "max_plan_blocks", context["max_plan_blocks"], 4096)
	}
}

// P4: the prototype's limits hold exactly.
func TestPrototypeLimits(t *testing.T) {
	if *profile != "prototype" {
		t.Skip("only with -profile prototype")
	}
	s := open(t)
	s.clean(t)
	want(t, "16³ cells", s.count(t, box(at(-8, 0, -8), at(7, 15, 7), "minecraft:stone", false)), 4096)
	s.refused(t, "build_prepare", obj{"recipe": recipe(box(at(-8, 0, -8), at(7, 15, 8), "minecraft:stone", false))}, "budget_exceeded")
	s.call(t, "region_inspect", obj{"min": at(-8, 0, -8), "max": at(7, 15, 7), "detail": "blocks"})
	s.refused(t, "region_inspect", obj{"min": at(-8, 0, -8), "max": at(7, 15, 8)}, "budget_exceeded")
	s.refused(t, "schematic_export", obj{"name": "big", "min": at(-8, 0, -8), "max": at(7, 15, 8)}, "budget_exceeded")
	var many []obj
	for i := range 513 {
		many = append(many, at(i%16-8, 14, i/16-8))
	}
	s.call(t, "build_prepare", obj{"recipe": recipe(), "dependencies": many[:512]})
	s.refused(t, "build_prepare", obj{"recipe": recipe(), "dependencies": many}, "budget_exceeded")
	want(t, "a shell of 27³", s.count(t, box(pos(0, 96, 0), pos(26, 122, 26), "minecraft:stone", true)), 4058)
	s.refused(t, "build_prepare", obj{"recipe": recipe(box(pos(0, 96, 0), pos(39, 135, 39), "minecraft:stone", true))}, "budget_exceeded")
	s.refused(t, "build_prepare", obj{"recipe": recipe(box(pos(0, 96, 0), pos(40, 136, 40), "minecraft:stone", true))}, "budget_exceeded")
}
