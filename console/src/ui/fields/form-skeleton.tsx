import { LoadingNote } from '../loading-note.tsx'
import { Skeleton } from '../skeleton.tsx'
import layout from './form-layout.module.css'

export interface FormSkeletonProps {
  sections: number
  /** Sends the requests again that have no response after some seconds. */
  onRetry?: () => void
}

/** Placeholder shapes for a form while its record loads. */
export const FormSkeleton = ({ sections, onRetry }: FormSkeletonProps) => (
  <div className={layout.page}>
    <LoadingNote onRetry={onRetry} />
    <div className={layout.sections} aria-hidden="true">
      {Array.from({ length: sections }, (_, section) => (
        // oxlint-disable-next-line react/no-array-index-key -- they have no identity
        <div key={section} className={layout.section}>
          <div>
            <Skeleton shape="title" />
          </div>
          <div className={layout.fields}>
            <Skeleton shape="field" count={3} />
          </div>
        </div>
      ))}
    </div>
  </div>
)
