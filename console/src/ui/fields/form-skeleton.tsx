import { Skeleton } from '../skeleton.tsx'
import layout from './form-layout.module.css'

export interface FormSkeletonProps {
  sections: number
}

/** Placeholder shapes for a form while its record loads. */
export const FormSkeleton = ({ sections }: FormSkeletonProps) => (
  <div className={layout.page}>
    <output className="visually-hidden">Loading…</output>
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
