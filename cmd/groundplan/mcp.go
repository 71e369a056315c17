package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"sync"

	"groundplan/rpc/mcp/script"
)

// mcpCommand is the endpoint for clients that speak stdio only.
type mcpCommand struct {
	Stdio  mcpStdioCommand  `cmd:"" default:"1" help:"Speak MCP on standard input and output, for clients without HTTP."`
	Config mcpConfigCommand `cmd:"" help:"Print the settings of the common clients."`
}

// mcpStdioCommand passes messages between standard input and output and the
// running service, as they are.
type mcpStdioCommand struct{}

// maxMCPLine is the longest message.
const maxMCPLine = 16 << 20

// proxy is one stdio client.
type proxy struct {
	*client
	mu      sync.Mutex // protects the following
	out     io.Writer
	session string
}

// Run passes messages until standard input ends.
func (c *mcpStdioCommand) Run(p *program) error {
	service, err := dial(p.data)
	if err != nil {
		return err
	}
	service.url = service.mcp
	x := &proxy{client: service, out: p.out}
	lines := bufio.NewScanner(p.in)
	lines.Buffer(make([]byte, 64<<10), maxMCPLine)
	var calls sync.WaitGroup
	defer calls.Wait()
	for first := true; lines.Scan(); first = false {
		line := bytes.Clone(bytes.TrimSpace(lines.Bytes()))
		if len(line) == 0 {
			continue
		}
		if first { // its answer has the session of all others
			if err := x.pass(p, line); err != nil {
				return err
			}
			continue
		}
		calls.Go(func() {
			if err := x.pass(p, line); err != nil {
				p.log.Error("an MCP message was not passed on", "error", err)
			}
		})
	}
	return lines.Err()
}

// pass posts one message and writes the answer, if there is one, as a line.
func (x *proxy) pass(p *program, line []byte) error {
	request, err := http.NewRequestWithContext(p.ctx(), http.MethodPost, x.url, bytes.NewReader(line))
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", "Bearer "+x.tokens.Agent)
	request.Header.Set("Content-Type", "application/json")
	x.mu.Lock()
	if x.session != "" {
		request.Header.Set("Mcp-Session-Id", x.session)
	}
	x.mu.Unlock()
	response, err := x.http.Do(request)
	if err != nil {
		return fmt.Errorf("the service at %s does not answer: %w", x.url, err)
	}
	defer response.Body.Close() //nolint:errcheck // it was read to its end
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if response.StatusCode == http.StatusForbidden {
		return errors.New("the service refused the token of this data directory; was it started with another one?")
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if id := response.Header.Get("Mcp-Session-Id"); id != "" {
		x.session = id
	}
	var compact bytes.Buffer
	if len(bytes.TrimSpace(body)) == 0 || json.Compact(&compact, body) != nil {
		return nil
	}
	compact.WriteByte('\n')
	_, err = x.out.Write(compact.Bytes())
	return err
}

// mcpConfigCommand prints what to paste into a client.
type mcpConfigCommand struct{}

// Run prints the settings. They hold the agent's token.
func (c *mcpConfigCommand) Run(p *program) error {
	service, err := dial(p.data)
	if err != nil {
		return err
	}
	program, err := os.Executable()
	if err != nil {
		return err
	}
	data, err := filepath.Abs(p.data) // a client starts it from a folder of its own
	if err != nil {
		return err
	}
	type server map[string]any
	header := map[string]string{"Authorization": "Bearer " + service.tokens.Agent}
	for _, client := range []struct {
		name     string
		settings any
	}{
		{
			"Claude Code (or: claude mcp add --transport http groundplan " + service.mcp + " --header \"Authorization: Bearer …\")",
			map[string]any{"mcpServers": server{"groundplan": server{"type": "http", "url": service.mcp, "headers": header}}},
		},
		{"VS Code, .vscode/mcp.json", map[string]any{"servers": server{"groundplan": server{"type": "http", "url": service.mcp, "headers": header}}}},
		{"clients that take a URL only", map[string]any{"url": service.mcp + "?token=" + service.tokens.Agent}},
		{"clients that speak stdio only", map[string]any{"mcpServers": server{"groundplan": server{"command": program, "args": []string{"mcp", "--data", data}}}}},
	} {
		text, err := json.MarshalIndent(client.settings, "", "  ")
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(p.out, "# %s\n%s\n\n", client.name, text); err != nil {
			return err
		}
	}
	return nil
}

// scriptHostCommand is the child process that runs one script of execute_code.
type scriptHostCommand struct{}

// Run runs the script.
func (c *scriptHostCommand) Run(p *program) error {
	if code := script.Host(p.in, p.out); code > 1 {
		return fmt.Errorf("script host: code %d", code)
	}
	return nil
}
