import { LoadingNote } from '../loading-note.tsx'
import { Skeleton } from '../skeleton.tsx'
import layout from './form-layout.module.css'

export interface FormSkeletonProps {
  /** The sections of a form. Absent for a part of a page, which may be as narrow as a side column. */
  sections?: number | undefined
  /** Sends the requests again that have no response after some seconds. */
  onRetry?: () => void
}

const fields = <Skeleton shape="field" count={3} />

/** Placeholder shapes for a form, or a part of a page, while its data loads. */
export const FormSkeleton = ({ sections, onRetry }: FormSkeletonProps) => (
  <div className={sections === undefined ? undefined : layout.page}>
    {/* Keeps the note and the shapes in one cell of the page's grid: the column of the form. */}
    <div>
      <LoadingNote onRetry={onRetry} />
      <div className={sections === undefined ? layout.fields : layout.sections} aria-hidden="true">
        {sections === undefined
          ? fields
          : Array.from({ length: sections }, (_, section) => (
              // oxlint-disable-next-line react/no-array-index-key -- they have no identity
              <div key={section} className={layout.section}>
                <div>
                  <Skeleton shape="title" />
                </div>
                <div className={layout.fields}>{fields}</div>
              </div>
            ))}
      </div>
    </div>
  </div>
)
