//go:build rig

// Package rig pins kwok, which makes nodes and pods ready without a kubelet.
package rig

import _ "sigs.k8s.io/kwok/cmd/kwok"
