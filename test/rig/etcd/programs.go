//go:build rig

// Package rig pins the etcd that backs the real API servers of tests.
package rig

import _ "go.etcd.io/etcd/server/v3"
