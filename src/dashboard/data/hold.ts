import { useSignal, type Signal } from "@preact/signals";

interface Hold {
  readonly isHeld: Signal<boolean>;
  /** Event handlers of the element with the rows. */
  readonly handlers: {
    readonly onPointerEnter: (event: PointerEvent) => void;
    readonly onPointerLeave: () => void;
  };
}

/** Rows do not move while the mouse is over them: changes are shown when it has left. */
export function useHold(): Hold {
  const isHeld = useSignal(false);
  return {
    isHeld,
    handlers: {
      // A finger does not leave.
      onPointerEnter: ({ pointerType }) => (isHeld.value = pointerType === "mouse"),
      onPointerLeave: () => (isHeld.value = false),
    },
  };
}
