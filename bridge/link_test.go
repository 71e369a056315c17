package bridge_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"

	"groundplan/bridge"
	"groundplan/bridge/bridgetest"
	"groundplan/plan"
	"groundplan/plan/fault"
)

// bubble runs the test with a server and no game, in a synctest bubble, which
// fails when a goroutine is left over.
func bubble(t *testing.T, settings bridge.Options, test func(b *bench)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { test(start(t, settings)) })
}

// dial connects a bare WebSocket.
func (b *bench) dial(path string, header http.Header) (*websocket.Conn, *http.Response, error) {
	client := &http.Client{Transport: &http.Transport{DialContext: b.net.Dial, DisableKeepAlives: true}}
	return websocket.Dial(b.t.Context(), "ws://127.0.0.1:8767"+path, &websocket.DialOptions{HTTPClient: client, HTTPHeader: header})
}

func TestTheDoorOpensForTheSecretPathOnly(t *testing.T) {
	bubble(t, bridge.Options{}, func(b *bench) {
		for _, path := range []string{"/", "", "/secre", "/secrets", "/SECRET", "/secret/"} {
			_, response, err := b.dial(path, nil)
			if err == nil || response.StatusCode != http.StatusNotFound {
				t.Errorf("%q: %v", path, err)
			}
		}
		conn, _, err := b.dial("/secret", nil)
		if err != nil {
			t.Fatal(err)
		}
		conn.CloseNow()
	})
}

func TestABrowserIsTurnedAway(t *testing.T) {
	bubble(t, bridge.Options{}, func(b *bench) {
		for _, origin := range []string{"https://example.com", "http://127.0.0.1:8767", "null", ""} {
			_, response, err := b.dial("/secret", http.Header{"Origin": {origin}})
			if err == nil || response.StatusCode != http.StatusForbidden {
				t.Errorf("%q: %v", origin, err)
			}
		}
	})
}

func TestOnlyLoopbackIsListenedOn(t *testing.T) {
	for _, addr := range []string{"0.0.0.0:0", ":0", "192.168.1.1:0", "[::]:0", "example.com:80", "127.0.0.1"} {
		server, err := bridge.Listen(t.Context(), bridge.Options{Addr: addr})
		if fault.CodeOf(err) != fault.InvalidRequest {
			t.Errorf("%s: %v", addr, err)
		}
		if server != nil {
			server.Close()
		}
	}
	server, err := bridge.Listen(t.Context(), bridge.Options{Addr: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	if url := server.URL(); len(url) < len("ws://127.0.0.1:1/")+20 {
		t.Errorf("%s has no secret", url)
	}
}

func TestAWindowBeyondTheGamesLimitIsRefused(t *testing.T) {
	for _, window := range []int{-1, bridge.MaxWindow + 1} {
		if _, err := bridge.Listen(t.Context(), bridge.Options{Addr: "127.0.0.1:0", Window: window}); fault.CodeOf(err) != fault.InvalidRequest {
			t.Errorf("window %d: %v", window, err)
		}
	}
}

func TestASecondGameIsRefusedInWords(t *testing.T) {
	connected(t, answering(), bridge.Options{}, func(b *bench) {
		first := b.game
		for range 3 {
			b.connect(answering())
			<-b.game.Done()
			commands := strings.Join(b.game.Commands(), "\n")
			if !strings.Contains(commands, "tellraw @s") || !strings.Contains(commands, "Steve is connected") || !strings.Contains(commands, "closewebsocket") {
				b.t.Errorf("the second game was told %q", commands)
			}
			if websocket.CloseStatus(b.game.Err()) != websocket.StatusTryAgainLater && websocket.CloseStatus(b.game.Err()) != websocket.StatusNormalClosure {
				b.t.Errorf("it ended with %v", b.game.Err())
			}
		}
		if got := b.world.Run(b.t.Context(), "overworld", "fill"); got.Kind != plan.Answered {
			b.t.Errorf("the first game: %+v", got)
		}
		b.game = first
	})
}

func TestASilentGameGivesWayToANewOne(t *testing.T) {
	connected(t, answering(), bridge.Options{}, func(b *bench) {
		first := b.game
		first.Silence(true)
		time.Sleep(20 * time.Second)
		b.connect(answering())
		<-first.Done()
		if err := b.world.Await(b.t.Context()); err != nil {
			b.t.Fatal(err)
		}
		if got := b.world.Run(b.t.Context(), "overworld", "fill"); got.Kind != plan.Answered {
			b.t.Errorf("Run = %+v", got)
		}
	})
}

func TestAGameThatIsSilentForTooLongIsLetGo(t *testing.T) {
	connected(t, answering(), bridge.Options{}, func(b *bench) {
		b.game.Silence(true)
		begin := time.Now()
		<-b.game.Done()
		if took := time.Since(begin); took < 100*time.Second || took > 130*time.Second {
			b.t.Errorf("let go after %v", took)
		}
	})
}

func TestAPeerThatNeverEndsAMessageIsLetGo(t *testing.T) {
	bubble(t, bridge.Options{}, func(b *bench) {
		conn, _, err := b.dial("/secret", nil)
		if err != nil {
			t.Fatal(err)
		}
		begin := time.Now()
		w, err := conn.Writer(b.t.Context(), websocket.MessageText)
		if err != nil {
			t.Fatal(err)
		}
		var writer sync.WaitGroup
		writer.Go(func() {
			var err error
			for err == nil {
				time.Sleep(time.Second)
				_, err = w.Write(bytes.Repeat([]byte(" "), 8192))
			}
		})
		for err == nil {
			_, _, err = conn.Read(b.t.Context())
		}
		writer.Wait()
		if took := time.Since(begin); took > 33*time.Second {
			b.t.Errorf("let go after %v", took)
		}
		conn.CloseNow()
	})
}

func TestAPeerThatNeverReadsIsLetGo(t *testing.T) {
	bubble(t, bridge.Options{}, func(b *bench) {
		conn, _, err := b.dial("/secret", nil)
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(15 * time.Second)
		if n := bridge.Held(b.server); n != 0 {
			b.t.Errorf("the session is still there, with %d entries", n)
		}
		conn.CloseNow()
	})
}

func TestAPeerThatNeverEndsItsHandshakeIsLetGo(t *testing.T) {
	bubble(t, bridge.Options{}, func(b *bench) {
		conn, err := b.net.Dial(b.t.Context(), "", "")
		if err != nil {
			t.Fatal(err)
		}
		begin := time.Now()
		if _, err := io.WriteString(conn, "GET /secret HTTP/1.1\r\n"); err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadAll(conn); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(begin); took > 6*time.Second {
			b.t.Errorf("let go after %v", took)
		}
		conn.Close()
	})
}

func TestARequestThatIsNoUpgradeHoldsNothing(t *testing.T) {
	bubble(t, bridge.Options{}, func(b *bench) {
		for _, request := range []string{
			"GET /x HTTP/1.1\r\nHost: a\r\n\r\n",
			"GET /secret HTTP/1.1\r\nHost: a\r\n\r\n",
			"POST /secret HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\nx",
		} {
			conn, err := b.net.Dial(b.t.Context(), "", "")
			if err != nil {
				b.t.Fatal(err)
			}
			begin := time.Now()
			if _, err := io.WriteString(conn, request); err != nil {
				b.t.Fatal(err)
			}
			if answer, err := io.ReadAll(conn); err != nil || !bytes.HasPrefix(answer, []byte("HTTP/1.1 4")) {
				b.t.Errorf("%q, %v", answer, err)
			}
			if took := time.Since(begin); took > 11*time.Second {
				b.t.Errorf("let go after %v", took)
			}
			conn.Close()
		}
	})
}

func TestAFrameThatIsTooLargeEndsTheConnection(t *testing.T) {
	server, err := bridge.Listen(t.Context(), bridge.Options{Addr: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	conn, _, err := websocket.Dial(t.Context(), server.URL(), nil)
	if err != nil {
		t.Fatal(err)
	}
	go conn.Write(t.Context(), websocket.MessageText, bytes.Repeat([]byte(" "), bridge.MaxFrame+1))
	conn.SetReadLimit(-1)
	for err == nil {
		_, _, err = conn.Read(t.Context())
	}
	if websocket.CloseStatus(err) != websocket.StatusMessageTooBig {
		t.Errorf("ended with %v", err)
	}
}

func TestCloseSaysGoodByeAndLeavesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := start(t, bridge.Options{})
		b.connect(answering())
		if err := b.world.Await(t.Context()); err != nil {
			t.Fatal(err)
		}
		begin := time.Now()
		if err := b.server.Close(); err != nil {
			t.Fatal(err)
		}
		<-b.game.Done()
		if b.game.Subscribed() || !strings.Contains(strings.Join(b.game.Commands(), "\n"), "closewebsocket") {
			t.Error("the game was not told")
		}
		if took := time.Since(begin); took > time.Second {
			t.Errorf("Close took %v", took)
		}
		if _, open := <-b.server.Messages(); open {
			t.Error("the stream of chat is still open")
		}
	})
}

func TestTheServerEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		net := bridgetest.NewNetwork()
		server, err := bridge.Listen(ctx, bridge.Options{Listener: net, Secret: "secret"})
		if err != nil {
			t.Fatal(err)
		}
		opts := answering()
		opts.Dial = net.Dial
		game, err := bridgetest.Connect(ctx, server.URL(), opts)
		if err != nil {
			t.Fatal(err)
		}
		if err := server.World().Await(ctx); err != nil {
			t.Fatal(err)
		}
		cancel()
		<-game.Done()
		if err := server.Close(); err != nil {
			t.Error(err)
		}
	})
}

func TestAnUpgradeWithALowerCaseHeaderIsTaken(t *testing.T) {
	server, err := bridge.Listen(t.Context(), bridge.Options{Addr: "127.0.0.1:0", Secret: "s"})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	url := "http" + strings.TrimPrefix(server.URL(), "ws")
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header = http.Header{
		"Connection": {"keep-alive, upgrade"}, "Upgrade": {"websocket"}, "Sec-Websocket-Version": {"13"},
		"Sec-Websocket-Key": {"dGhlIHNhbXBsZSBub25jZQ=="}, "Sec-Websocket-Protocol": {"com.microsoft.minecraft.wsencrypt"},
	}
	response, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusSwitchingProtocols || response.Header.Get("Connection") != "Upgrade" ||
		response.Header.Get("Sec-WebSocket-Protocol") != "com.microsoft.minecraft.wsencrypt" {
		t.Errorf("%d %v", response.StatusCode, response.Header)
	}
}

// notes collects log records.
type notes struct {
	mu    sync.Mutex
	lines []string
}

func (n *notes) Write(p []byte) (int, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.lines = append(n.lines, string(p))
	return len(p), nil
}

func (n *notes) count(parts ...string) int {
	n.mu.Lock()
	defer n.mu.Unlock()
	count := 0
	for _, line := range n.lines {
		all := true
		for _, part := range parts {
			all = all && strings.Contains(line, part)
		}
		if all {
			count++
		}
	}
	return count
}

func TestChunksThatAreNotTakenAreLoggedOnceAMinute(t *testing.T) {
	var log notes
	connected(t, answering(), bridge.Options{Log: slog.New(slog.NewTextHandler(&log, nil))}, func(b *bench) {
		for range 3 {
			for range 5 {
				b.game.Say("Mallory", "MCBEWS|BRIDGE|r1|1/1|{}")
				b.game.Say(bridge.BridgeSender, "MCBEWS|SESSION|{}")
				b.game.Say(bridge.BridgeSender, "MCBEWS|BRIDGE|r1|2/1|{}")
				b.game.Say(bridge.BridgeSender, "MCBEWS|UI_CHAT|u1|1/1|[]")
				b.game.Say("Steve", "hello")
			}
			time.Sleep(time.Minute)
		}
		for _, reason := range []string{"sender", "prefix", "malformed"} {
			if n := log.count("bridge_prefix_not_matched", "reason="+reason); n != 3 {
				b.t.Errorf("%d notes with the reason %s in three minutes", n, reason)
			}
		}
		if n := log.count("bridge_prefix_not_matched"); n != 9 {
			b.t.Errorf("%d notes", n)
		}
	})
}

func TestTheSecretIsNeverLogged(t *testing.T) {
	var log notes
	connected(t, answering(), bridge.Options{Log: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))}, func(b *bench) {
		b.dial("/other", nil)
		first := b.game
		b.connect(answering())
		<-b.game.Done()
		b.game = first
		b.server.Diagnose(b.t.Context())
		if n := log.count("secret"); n != 0 {
			b.t.Errorf("%d lines", n)
		}
		if _, err := start(b.t, bridge.Options{}).world.Info(); strings.Contains(fmt.Sprint(err), "secret") {
			b.t.Error(err)
		}
	})
}

func TestChatOfThePanelIsDelivered(t *testing.T) {
	connected(t, answering(), bridge.Options{}, func(b *bench) {
		b.game.Say(bridge.BridgeSender, `MCBEWS|UI_CHAT|ui-1|2/2|sage":"hello world","cid":"c"}`)
		b.game.Say(bridge.BridgeSender, `MCBEWS|UI_CHAT|ui-2|1/1|{"player":"Alex","message":"a|b"}`)
		b.game.Say(bridge.BridgeSender, `MCBEWS|UI_CHAT|ui-1|1/2|{"player":"Steve","mes`)
		for _, want := range []bridge.UIMessage{
			{ID: "ui-2", Player: "Alex", Text: "a|b"}, {ID: "ui-1", Player: "Steve", Text: "hello world", Conversation: "c"},
		} {
			if got := <-b.server.Messages(); got != want {
				b.t.Errorf("%+v, want %+v", got, want)
			}
		}
	})
}

func TestChatThatNobodyReadsLosesTheOldest(t *testing.T) {
	connected(t, answering(), bridge.Options{}, func(b *bench) {
		for i := range 100 {
			b.game.Say(bridge.BridgeSender, fmt.Sprintf(`MCBEWS|UI_CHAT|u%d|1/1|{"message":"%d"}`, i, i))
		}
		synctest.Wait()
		if got := <-b.server.Messages(); got.Text != "36" {
			b.t.Errorf("the oldest is %s", got.Text)
		}
	})
}

func TestIncompleteChatIsBoundedAndForgotten(t *testing.T) {
	connected(t, answering(), bridge.Options{}, func(b *bench) {
		before := bridge.Held(b.server)
		for i := range bridge.MaxBuffers + 10 {
			b.game.Say(bridge.BridgeSender, fmt.Sprintf(`MCBEWS|UI_CHAT|u%d|1/2|x`, i))
		}
		synctest.Wait()
		if n := bridge.Buffers(b.server); n != bridge.MaxBuffers {
			b.t.Errorf("%d buffers", n)
		}
		time.Sleep(bridge.BufferTTL + 2*time.Second)
		if n := bridge.Held(b.server); bridge.Buffers(b.server) != 0 || n > before {
			b.t.Errorf("%d entries are held after %v", n, bridge.BufferTTL)
		}
	})
}

func TestTextGoesOutFrameByFrame(t *testing.T) {
	connected(t, answering(), bridge.Options{}, func(b *bench) {
		text := strings.Repeat("builder@home ", 100)
		begin := time.Now()
		if err := b.server.Tell(b.t.Context(), "Steve", "resp-1", "assistant", text); err != nil {
			b.t.Fatal(err)
		}
		var frames []bridge.TextFrame
		for _, message := range b.game.Texts() {
			f, err := bridge.DecodeTextFrame([]byte(message))
			if err != nil {
				b.t.Fatal(err)
			}
			frames = append(frames, f)
		}
		got, err := bridge.JoinText(frames)
		if err != nil || got.Text != text || got.Player != "Steve" {
			b.t.Errorf("%+v, %v", got, err)
		}
		if took, want := time.Since(begin), time.Duration(len(frames)-1)*150*time.Millisecond; took < want || took > want+time.Second {
			b.t.Errorf("%d frames took %v, want %v", len(frames), took, want)
		}
		if err := b.server.Tell(b.t.Context(), "Steve", "a", "system", "x"); fault.CodeOf(err) != fault.InvalidRequest {
			b.t.Errorf("an unknown role is %v", err)
		}
	})
	bubble(t, bridge.Options{}, func(b *bench) {
		if err := b.server.Tell(b.t.Context(), "Steve", "a", "user", "x"); fault.CodeOf(err) != fault.WorldUnavailable {
			b.t.Errorf("without a world it is %v", err)
		}
	})
}
