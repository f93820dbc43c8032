import { CaptureOnView, Feature, useFeatureFlag, WaymarkProvider } from 'waymark/react'

globalThis.components = { CaptureOnView, Feature, useFeatureFlag, WaymarkProvider }
