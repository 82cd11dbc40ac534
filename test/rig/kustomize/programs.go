//go:build rig

// Package rig pins the real kustomize that tests compare with.
package rig

import _ "sigs.k8s.io/kustomize/kustomize/v5"
