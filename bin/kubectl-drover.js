#!/usr/bin/env node
// kubectl finds this by its name and runs it for "kubectl drover …".
import './drover.js';
