/** An int-or-string of Kubernetes: a JSON number is an int, a JSON string is a string (`"5"` is a string). */
export type IntOrString = number | string;
