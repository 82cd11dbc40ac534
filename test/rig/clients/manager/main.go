// Command manager is an ordinary controller-runtime manager: leader election by Lease, cached reads, a reconciler on ConfigMaps and
// one on a custom resource, events, finalizers and status. It prints what it does as JSON lines.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"sync"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/events"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

const (
	label     = "judge.drover.io/seal"
	seal      = "judge.drover.io/sealed"
	finalizer = "judge.drover.io/farewell"
)

// Echo is served by the CustomResourceDefinition in crd.yaml.
var echoKind = schema.GroupVersionKind{Group: "judge.drover.io", Version: "v1", Kind: "Echo"}

type line struct {
	Type      string `json:"type"`
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name,omitempty"`
	Error     string `json:"error,omitempty"`
}

var printing sync.Mutex

func say(l line) {
	printing.Lock()
	defer printing.Unlock()
	_ = json.NewEncoder(os.Stdout).Encode(l)
}

func main() {
	kubeconfig := flag.String("kubeconfig-file", "", "path of the kubeconfig")
	namespace := flag.String("namespace", "default", "namespace of the lease and of everything that is reconciled")
	flag.Parse()
	ctrl.SetLogger(klog.Background())

	config, err := clientcmd.BuildConfigFromFlags("", *kubeconfig)
	if err != nil {
		fail(err)
	}
	config.UserAgent = "judge-manager"
	manager, err := ctrl.NewManager(config, ctrl.Options{
		LeaderElection:          true,
		LeaderElectionID:        "judge-manager",
		LeaderElectionNamespace: *namespace,
		Cache:                   cache.Options{DefaultNamespaces: map[string]cache.Config{*namespace: {}}},
		Metrics:                 server.Options{BindAddress: "0"},
	})
	if err != nil {
		fail(err)
	}

	recorder := manager.GetEventRecorder("judge-manager")
	sealer := &configMapSealer{Client: manager.GetClient(), recorder: recorder}
	if err := ctrl.NewControllerManagedBy(manager).Named("sealer").For(&corev1.ConfigMap{}).Complete(sealer); err != nil {
		fail(err)
	}
	echoer := &echoer{Client: manager.GetClient(), recorder: recorder}
	if err := ctrl.NewControllerManagedBy(manager).Named("echoer").For(newEcho()).Owns(&corev1.ConfigMap{}).Complete(echoer); err != nil {
		fail(err)
	}

	ctx := ctrl.SetupSignalHandler()
	go func() {
		select {
		case <-manager.Elected():
			say(line{Type: "elected"})
		case <-ctx.Done():
		}
	}()
	if err := manager.Start(ctx); err != nil {
		fail(err)
	}
	say(line{Type: "ended"})
}

// configMapSealer copies the number of keys of every labelled ConfigMap into an annotation.
type configMapSealer struct {
	client.Client
	recorder events.EventRecorder
}

func (r *configMapSealer) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var obj corev1.ConfigMap
	if err := r.Get(ctx, req.NamespacedName, &obj); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if _, wanted := obj.Labels[label]; !wanted {
		return ctrl.Result{}, nil
	}
	value := fmt.Sprint(len(obj.Data))
	if obj.Annotations[seal] == value {
		return ctrl.Result{}, nil
	}
	before := obj.DeepCopy()
	if obj.Annotations == nil {
		obj.Annotations = map[string]string{}
	}
	obj.Annotations[seal] = value
	if err := r.Patch(ctx, &obj, client.MergeFrom(before)); err != nil {
		return ctrl.Result{}, err
	}
	r.recorder.Eventf(&obj, nil, corev1.EventTypeNormal, "Sealed", "Seal", "Sealed %s keys", value)
	say(line{Type: "sealed", Namespace: req.Namespace, Name: req.Name})
	return ctrl.Result{}, nil
}

// echoer keeps an owned ConfigMap with the message of an Echo, reports it in status, and says farewell through a finalizer.
type echoer struct {
	client.Client
	recorder events.EventRecorder
}

func (r *echoer) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	echo := newEcho()
	if err := r.Get(ctx, req.NamespacedName, echo); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if echo.GetDeletionTimestamp() != nil {
		if controllerutil.RemoveFinalizer(echo, finalizer) {
			say(line{Type: "farewell", Namespace: req.Namespace, Name: req.Name})
			return ctrl.Result{}, client.IgnoreNotFound(r.Update(ctx, echo))
		}
		return ctrl.Result{}, nil
	}
	if controllerutil.AddFinalizer(echo, finalizer) {
		if err := r.Update(ctx, echo); err != nil {
			return ctrl.Result{}, err
		}
	}

	message, _, _ := unstructured.NestedString(echo.Object, "spec", "message")
	copied := &corev1.ConfigMap{}
	copied.Namespace, copied.Name = req.Namespace, req.Name+"-echo"
	outcome, err := controllerutil.CreateOrUpdate(ctx, r.Client, copied, func() error {
		copied.Data = map[string]string{"message": message}
		return controllerutil.SetControllerReference(echo, copied, r.Scheme())
	})
	if err != nil {
		// A stale cache may not know the ConfigMap yet.
		if apierrors.IsAlreadyExists(err) {
			return ctrl.Result{Requeue: true}, nil
		}
		return ctrl.Result{}, err
	}
	if outcome != controllerutil.OperationResultNone {
		r.recorder.Eventf(echo, copied, corev1.EventTypeNormal, "Echoed", "Echo", "Echoed %q", message)
		say(line{Type: "echoed", Namespace: req.Namespace, Name: req.Name})
	}

	if said, _, _ := unstructured.NestedString(echo.Object, "status", "message"); said == message {
		return ctrl.Result{}, nil
	}
	_ = unstructured.SetNestedField(echo.Object, message, "status", "message")
	_ = unstructured.SetNestedField(echo.Object, echo.GetGeneration(), "status", "observedGeneration")
	if err := r.Status().Update(ctx, echo); err != nil {
		return ctrl.Result{}, err
	}
	say(line{Type: "reported", Namespace: req.Namespace, Name: req.Name})
	return ctrl.Result{}, nil
}

func newEcho() *unstructured.Unstructured {
	echo := &unstructured.Unstructured{}
	echo.SetGroupVersionKind(echoKind)
	return echo
}

func fail(err error) {
	say(line{Type: "failed", Error: err.Error()})
	os.Exit(1)
}
