export function buildIfChanged(): void;
export function isBuilt(root: any): boolean;
