// Command informer runs client-go shared informers and prints what they hear as JSON lines, so that a test can judge a server
// by what an unmodified client sees of it.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
)

type line struct {
	Type            string `json:"type"`
	Resource        string `json:"resource"`
	Namespace       string `json:"namespace,omitempty"`
	Name            string `json:"name,omitempty"`
	UID             string `json:"uid,omitempty"`
	ResourceVersion string `json:"resourceVersion,omitempty"`
	Count           int    `json:"count,omitempty"`
	Error           string `json:"error,omitempty"`
}

var printing sync.Mutex

func say(l line) {
	printing.Lock()
	defer printing.Unlock()
	_ = json.NewEncoder(os.Stdout).Encode(l)
}

func main() {
	kubeconfig := flag.String("kubeconfig", "", "path of the kubeconfig")
	namespace := flag.String("namespace", "", "namespace to watch; all when empty")
	typed := flag.String("typed", "v1/configmaps,v1/secrets,v1/services,v1/pods,v1/namespaces,apps/v1/deployments", "built-in resources, by typed informers")
	untyped := flag.String("dynamic", "", "custom resources, by dynamic informers: group/version/resource,...")
	duration := flag.Duration("duration", 0, "ends after this time; never when zero")
	flag.Parse()

	config, err := clientcmd.BuildConfigFromFlags("", *kubeconfig)
	if err != nil {
		fail(err)
	}
	config.UserAgent = "judge-informer"
	config.QPS = -1

	stop := make(chan struct{})
	var synced []cache.InformerSynced
	add := func(resource string, informer cache.SharedIndexInformer) {
		_ = informer.SetWatchErrorHandler(func(_ *cache.Reflector, err error) {
			say(line{Type: "ERROR", Resource: resource, Error: err.Error()})
		})
		registration, err := informer.AddEventHandler(printer(resource))
		if err != nil {
			fail(err)
		}
		synced = append(synced, registration.HasSynced)
		go func() {
			if cache.WaitForCacheSync(stop, registration.HasSynced) {
				say(line{Type: "SYNCED", Resource: resource, Count: len(informer.GetStore().List())})
			}
		}()
	}

	client := kubernetes.NewForConfigOrDie(config)
	factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespace(*namespace))
	for _, resource := range split(*typed) {
		informer, err := factory.ForResource(parse(resource))
		if err != nil {
			fail(err)
		}
		add(resource, informer.Informer())
	}
	loose := dynamicinformer.NewFilteredDynamicSharedInformerFactory(dynamic.NewForConfigOrDie(config), 0, *namespace, nil)
	for _, resource := range split(*untyped) {
		add(resource, loose.ForResource(parse(resource)).Informer())
	}

	factory.Start(stop)
	loose.Start(stop)
	go func() {
		if cache.WaitForCacheSync(stop, synced...) {
			say(line{Type: "ALL_SYNCED", Resource: "*", Count: len(synced)})
		}
	}()

	ended := make(chan os.Signal, 1)
	signal.Notify(ended, syscall.SIGTERM, syscall.SIGINT)
	var timer <-chan time.Time
	if *duration > 0 {
		timer = time.After(*duration)
	}
	select {
	case <-ended:
	case <-timer:
	}
	close(stop)
}

func printer(resource string) cache.ResourceEventHandlerFuncs {
	tell := func(kind string, obj any) {
		if gone, ok := obj.(cache.DeletedFinalStateUnknown); ok {
			obj = gone.Obj
			kind += "_UNKNOWN"
		}
		m, err := meta.Accessor(obj)
		if err != nil {
			say(line{Type: "ERROR", Resource: resource, Error: err.Error()})
			return
		}
		say(line{Type: kind, Resource: resource, Namespace: m.GetNamespace(), Name: m.GetName(), UID: string(m.GetUID()), ResourceVersion: m.GetResourceVersion()})
	}
	return cache.ResourceEventHandlerFuncs{
		AddFunc:    func(obj any) { tell("ADDED", obj) },
		UpdateFunc: func(_, obj any) { tell("MODIFIED", obj) },
		DeleteFunc: func(obj any) { tell("DELETED", obj) },
	}
}

func split(list string) []string {
	if list == "" {
		return nil
	}
	return strings.Split(list, ",")
}

func parse(path string) schema.GroupVersionResource {
	parts := strings.Split(path, "/")
	if len(parts) == 2 {
		return schema.GroupVersionResource{Version: parts[0], Resource: parts[1]}
	}
	if len(parts) != 3 {
		fail(fmt.Errorf("cannot read resource %q: want version/resource or group/version/resource", path))
	}
	return schema.GroupVersionResource{Group: parts[0], Version: parts[1], Resource: parts[2]}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
