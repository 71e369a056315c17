package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"groundplan/plan"
	"groundplan/plan/fault"
	"groundplan/rpc"
)

// client calls the methods of a running service with the tokens of its data
// directory.
type client struct {
	url    string
	mcp    string // the MCP endpoint
	tokens rpc.Tokens
	http   *http.Client
}

// dial finds the service of a data directory.
func dial(dir string) (*client, error) {
	data, err := os.ReadFile(filepath.Join(dir, serviceFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fault.Errorf(fault.NotFound, "no service runs on %s; start one with: groundplan serve --data %s", dir, dir)
	}
	if err != nil {
		return nil, err
	}
	var r ready
	if err := json.Unmarshal(data, &r); err != nil {
		return nil, fmt.Errorf("%s: %w", serviceFile, err)
	}
	if !answers(r.RPC) { // it was killed and left the file behind
		return nil, fault.Errorf(fault.NotFound, "the service of %s does not answer any more; start it again with: groundplan serve --data %s", dir, dir)
	}
	tokens, err := rpc.OpenTokens(filepath.Join(dir, "tokens.json"))
	if err != nil {
		return nil, err
	}
	return &client{url: r.RPC + "/v1/rpc", mcp: r.MCP, tokens: tokens, http: &http.Client{Timeout: 10 * time.Minute}}, nil
}

// answers reports whether somebody listens at the address of a service.
func answers(url string) bool {
	d := net.Dialer{Timeout: 2 * time.Second}
	conn, err := d.DialContext(context.Background(), "tcp", strings.TrimPrefix(url, "http://"))
	if err != nil {
		return false
	}
	return conn.Close() == nil
}

// reply is the body of an answer.
type reply struct {
	OK     bool            `json:"ok"`
	Result json.RawMessage `json:"result"`
	Error  *rpc.Problem    `json:"error"`
}

// call calls a method with the token that it needs and reads its result into
// result, if that is not nil. An error of the service is a fault with its code.
func (c *client) call(ctx context.Context, method string, params, result any) error {
	body, err := json.Marshal(map[string]any{"method": method, "params": params})
	if err != nil {
		return err
	}
	answer, err := c.post(ctx, roleOf(method), body)
	if err != nil {
		return err
	}
	if answer.Error != nil {
		return &fault.Error{Code: answer.Error.Code, Msg: answer.Error.Message, Details: answer.Error.Details}
	}
	if result == nil {
		return nil
	}
	return json.Unmarshal(answer.Result, result)
}

// post sends a body to the service.
func (c *client) post(ctx context.Context, role rpc.Role, body []byte) (reply, error) {
	token := c.tokens.Agent
	if role == rpc.Admin {
		token = c.tokens.Admin
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, bytes.NewReader(body))
	if err != nil {
		return reply{}, err
	}
	request.Header.Set("Authorization", "Bearer "+token)
	request.Header.Set("Content-Type", "application/json")
	response, err := c.http.Do(request)
	if err != nil {
		return reply{}, fmt.Errorf("the service at %s does not answer: %w", c.url, err)
	}
	defer response.Body.Close() //nolint:errcheck // it was read to its end
	data, err := io.ReadAll(response.Body)
	if err != nil {
		return reply{}, fmt.Errorf("the answer broke off: %w", err)
	}
	var answer reply
	if err := json.Unmarshal(data, &answer); err != nil {
		return reply{}, fmt.Errorf("the service at %s answered something that is not JSON", c.url)
	}
	return answer, nil
}

// await follows an operation until it is final, telling each change to seen.
func (c *client) await(ctx context.Context, id string, seen func(plan.Operation)) (plan.Operation, error) {
	var op plan.Operation
	for {
		params := map[string]any{"operation_id": id, "wait_ms": 20_000, "since": op.UpdatedAt}
		if err := c.call(ctx, "operation_status", params, &op); err != nil {
			return op, err
		}
		seen(op)
		if op.Status.Final() || op.Status == plan.RecoveryRequired {
			return op, nil
		}
	}
}

// rpcCommand calls one method and prints its result.
type rpcCommand struct {
	Method string `arg:"" help:"Method name, such as project_context; groundplan rpc --list lists them." optional:""`
	Params string `arg:"" help:"Parameters as JSON; - reads them from standard input." optional:"" default:"{}"`
	Admin  bool   `help:"Use the admin token. Methods for admins use it anyway."`
	List   bool   `help:"List the methods."`
}

// Run prints the result as JSON on standard output. When the service refuses, it
// prints the error object there and fails with its sentence.
func (c *rpcCommand) Run(p *program) error {
	if c.List || c.Method == "" {
		for _, m := range rpc.Methods() {
			p.print("%-26s %-6s %s", m.Name, m.Role, m.Doc)
		}
		return nil
	}
	params := []byte(c.Params)
	if c.Params == "-" {
		var err error
		if params, err = io.ReadAll(p.in); err != nil {
			return err
		}
	}
	if !json.Valid(params) {
		return fault.Errorf(fault.InvalidRequest, "the parameters are not JSON")
	}
	service, err := dial(p.data)
	if err != nil {
		return err
	}
	body := append(append([]byte(`{"method":`+encode(c.Method)+`,"params":`), params...), '}')
	role := roleOf(c.Method)
	if c.Admin {
		role = rpc.Admin
	}
	answer, err := service.post(p.ctx(), role, body)
	if err != nil {
		return err
	}
	if answer.Error != nil {
		fmt.Fprintln(p.out, encode(answer.Error))
		return &fault.Error{Code: answer.Error.Code, Msg: answer.Error.Message}
	}
	fmt.Fprintln(p.out, string(answer.Result))
	return nil
}

// roleOf returns whose token a method needs.
func roleOf(method string) rpc.Role {
	for _, m := range rpc.Methods() {
		if m.Name == method {
			return m.Role
		}
	}
	return rpc.Agent
}
