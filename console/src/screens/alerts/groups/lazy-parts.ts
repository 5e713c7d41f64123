/** The parts of alerts that load on demand, in one chunk. */

export { AlertAcknowledgmentPart } from './alert-acknowledgment.tsx'
export { AlertGroupList } from './group-list.tsx'
