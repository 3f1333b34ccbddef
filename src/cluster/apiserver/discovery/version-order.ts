const shape = /^v([1-9]\d*)(?:(alpha|beta)([1-9]\d*))?$/;
const stages = ["alpha", "beta", undefined];

/** Kubernetes' order of preference: v10, v2, v1, v11beta2, v1beta1, v1alpha1, then other names by the alphabet. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [shape.exec(a), shape.exec(b)];
  if (!left || !right) return left ? -1 : right ? 1 : a < b ? -1 : a > b ? 1 : 0;
  const stage = stages.indexOf(right[2]) - stages.indexOf(left[2]);
  return stage || Number(right[1]) - Number(left[1]) || Number(right[3] ?? 0) - Number(left[3] ?? 0);
}
