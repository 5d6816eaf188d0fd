extends Node

var turn := 0
var note := "none"
