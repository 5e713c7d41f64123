/**
 * Versions of the records that were read, as the server's `Record-Version` names them. An update sends the version of the
 * record that the user has seen, so that it does not undo a change of another user. Null for other data. A query that
 * combines a read with the one before makes a copy without a version.
 */
export const recordVersions = new WeakMap<object, string | null>()
