/**
 * Versions of the records that were read, as the server's `Record-Version` names them. An update sends the version of the
 * record that the user has seen, so that it does not undo a change of another user. Null for other data. The query of a
 * form that stays open after a save has no `structuralSharing`, which makes a copy of the record without its version.
 */
export const recordVersions = new WeakMap<object, string | null>()
