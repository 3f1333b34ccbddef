// A game with a client that protoc-gen-go makes of our definitions: does the steps that the command line names, and prints a line for each.
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/fieldmaskpb"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"stadion.dev/conformance/pb/agones/dev/sdk"
	"stadion.dev/conformance/pb/agones/dev/sdk/alpha"
	"stadion.dev/conformance/pb/agones/dev/sdk/beta"
)

const (
	patience = 30 * time.Second
	pause    = 50 * time.Millisecond
)

type game struct {
	sdk   sdk.SDKClient
	beta  beta.SDKClient
	alpha alpha.SDKClient

	lock    sync.Mutex
	watched []*sdk.GameServer
}

func main() {
	target := "localhost:" + os.Getenv("AGONES_SDK_GRPC_PORT")
	connection, err := grpc.NewClient(target,
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		// The server may come up later than the game.
		grpc.WithDefaultCallOptions(grpc.WaitForReady(true)))
	if err != nil {
		log.Fatal(err)
	}
	player := &game{
		sdk:   sdk.NewSDKClient(connection),
		beta:  beta.NewSDKClient(connection),
		alpha: alpha.NewSDKClient(connection),
	}
	ctx := context.Background()
	for _, step := range os.Args[1:] {
		answer, err := player.step(ctx, strings.Split(step, " "))
		if told, ok := status.FromError(err); err != nil && ok {
			answer = fmt.Sprintf("refused %d %s", told.Code(), told.Message())
		} else if err != nil {
			log.Fatal(err)
		}
		fmt.Println(answer)
	}
}

func (g *game) step(ctx context.Context, words []string) (string, error) {
	words = append(words, "", "")
	first, second := words[1], words[2]
	number, _ := strconv.ParseInt(second, 10, 64)
	switch words[0] {
	case "gameserver":
		server, err := g.sdk.GetGameServer(ctx, &sdk.Empty{})
		return server.GetObjectMeta().GetName(), err
	case "watch":
		return g.watch(ctx)
	case "watched":
		return until(func() (string, error) { return g.seen(first), nil })
	case "state":
		return until(func() (string, error) {
			server, err := g.sdk.GetGameServer(ctx, &sdk.Empty{})
			return matching(server, first), err
		})
	case "ready":
		return done(g.sdk.Ready(ctx, &sdk.Empty{}))
	case "allocate":
		return done(g.sdk.Allocate(ctx, &sdk.Empty{}))
	case "shutdown":
		return done(g.sdk.Shutdown(ctx, &sdk.Empty{}))
	case "reserve":
		seconds, _ := strconv.ParseInt(first, 10, 64)
		return done(g.sdk.Reserve(ctx, &sdk.Duration{Seconds: seconds}))
	case "health":
		pings, err := g.sdk.Health(ctx)
		if err != nil {
			return "", err
		}
		if err := pings.Send(&sdk.Empty{}); err != nil {
			return "", err
		}
		return done(pings.CloseAndRecv())
	case "label":
		return done(g.sdk.SetLabel(ctx, &sdk.KeyValue{Key: first, Value: second}))
	case "timestamp-label":
		return g.timestampLabel(ctx)
	case "uid-annotation":
		return g.uidAnnotation(ctx)
	case "count", "capacity":
		counter, err := g.beta.GetCounter(ctx, &beta.GetCounterRequest{Name: first})
		if words[0] == "count" {
			return fmt.Sprint(counter.GetCount()), err
		}
		return fmt.Sprint(counter.GetCapacity()), err
	case "increment":
		return g.update(ctx, &beta.CounterUpdateRequest{Name: first, CountDiff: number})
	case "decrement":
		return g.update(ctx, &beta.CounterUpdateRequest{Name: first, CountDiff: -number})
	case "set-count":
		return g.update(ctx, &beta.CounterUpdateRequest{Name: first, Count: wrapperspb.Int64(number)})
	case "set-capacity":
		return g.update(ctx, &beta.CounterUpdateRequest{Name: first, Capacity: wrapperspb.Int64(number)})
	case "contains", "length", "values", "list-capacity":
		list, err := g.beta.GetList(ctx, &beta.GetListRequest{Name: first})
		return map[string]string{
			"contains":      fmt.Sprint(slices.Contains(list.GetValues(), second)),
			"length":        fmt.Sprint(len(list.GetValues())),
			"values":        strings.Join(list.GetValues(), ","),
			"list-capacity": fmt.Sprint(list.GetCapacity()),
		}[words[0]], err
	case "append":
		return done(g.beta.AddListValue(ctx, &beta.AddListValueRequest{Name: first, Value: second}))
	case "delete":
		return done(g.beta.RemoveListValue(ctx, &beta.RemoveListValueRequest{Name: first, Value: second}))
	case "set-list-capacity":
		return done(g.beta.UpdateList(ctx, &beta.UpdateListRequest{
			List:       &beta.List{Name: first, Capacity: number},
			UpdateMask: &fieldmaskpb.FieldMask{Paths: []string{"capacity"}},
		}))
	default:
		return g.playerStep(ctx, words[0], first)
	}
}

func (g *game) playerStep(ctx context.Context, step, id string) (string, error) {
	player := &alpha.PlayerID{PlayerID: id}
	switch step {
	case "set-player-capacity":
		count, _ := strconv.ParseInt(id, 10, 64)
		return done(g.alpha.SetPlayerCapacity(ctx, &alpha.Count{Count: count}))
	case "player-capacity":
		capacity, err := g.alpha.GetPlayerCapacity(ctx, &alpha.Empty{})
		return fmt.Sprint(capacity.GetCount()), err
	case "player-connect":
		connected, err := g.alpha.PlayerConnect(ctx, player)
		return fmt.Sprint(connected.GetBool()), err
	case "player-connected":
		connected, err := g.alpha.IsPlayerConnected(ctx, player)
		return fmt.Sprint(connected.GetBool()), err
	case "players":
		players, err := g.alpha.GetConnectedPlayers(ctx, &alpha.Empty{})
		return strings.Join(players.GetList(), ","), err
	case "player-disconnect":
		disconnected, err := g.alpha.PlayerDisconnect(ctx, player)
		return fmt.Sprint(disconnected.GetBool()), err
	case "player-count":
		count, err := g.alpha.GetPlayerCount(ctx, &alpha.Empty{})
		return fmt.Sprint(count.GetCount()), err
	default:
		return "unknown step", nil
	}
}

func (g *game) update(ctx context.Context, request *beta.CounterUpdateRequest) (string, error) {
	return done(g.beta.UpdateCounter(ctx, &beta.UpdateCounterRequest{CounterUpdateRequest: request}))
}

func (g *game) watch(ctx context.Context) (string, error) {
	stream, err := g.sdk.WatchGameServer(ctx, &sdk.Empty{})
	if err != nil {
		return "", err
	}
	go func() {
		for {
			server, err := stream.Recv()
			if err != nil {
				return
			}
			g.lock.Lock()
			g.watched = append(g.watched, server)
			g.lock.Unlock()
		}
	}()
	return until(func() (string, error) { return g.uid(), nil })
}

func (g *game) uid() string {
	g.lock.Lock()
	defer g.lock.Unlock()
	if len(g.watched) == 0 {
		return ""
	}
	return g.watched[0].GetObjectMeta().GetUid()
}

// seen is the state, once the watch has shown it.
func (g *game) seen(state string) string {
	g.lock.Lock()
	defer g.lock.Unlock()
	for _, server := range g.watched {
		if matching(server, state) != "" {
			return state
		}
	}
	return ""
}

func (g *game) timestampLabel(ctx context.Context) (string, error) {
	server, err := g.sdk.GetGameServer(ctx, &sdk.Empty{})
	if err != nil {
		return "", err
	}
	created := fmt.Sprint(server.GetObjectMeta().GetCreationTimestamp())
	if _, err := g.sdk.SetLabel(ctx, &sdk.KeyValue{Key: "timestamp", Value: created}); err != nil {
		return "", err
	}
	return until(func() (string, error) {
		server, err := g.sdk.GetGameServer(ctx, &sdk.Empty{})
		return server.GetObjectMeta().GetLabels()["agones.dev/sdk-timestamp"], err
	})
}

func (g *game) uidAnnotation(ctx context.Context) (string, error) {
	if _, err := g.sdk.SetAnnotation(ctx, &sdk.KeyValue{Key: "uid", Value: g.uid()}); err != nil {
		return "", err
	}
	return until(func() (string, error) {
		server, err := g.sdk.GetGameServer(ctx, &sdk.Empty{})
		return server.GetObjectMeta().GetAnnotations()["agones.dev/sdk-uid"], err
	})
}

func matching(server *sdk.GameServer, state string) string {
	if server.GetStatus().GetState() == state {
		return state
	}
	return ""
}

func done[T any](_ T, err error) (string, error) { return "ok", err }

// until is the first text that is not empty.
func until(look func() (string, error)) (string, error) {
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(pause) {
		if found, err := look(); found != "" || err != nil {
			return found, err
		}
	}
	return "too late", nil
}
