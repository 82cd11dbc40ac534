//go:build rig

// Package rig pins an older kubectl, whose informers list before they watch.
package rig

import _ "k8s.io/kubernetes/cmd/kubectl"
