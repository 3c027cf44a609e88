import { describe, expect, it } from 'vitest';
import { Editing } from './editing.svelte';

describe('a document in hand', () => {
  it('is kept with every change, and every change can be taken back', () => {
    const kept: number[] = [];
    const editing = new Editing({ n: 0 }, ({ n }) => kept.push(n));
    editing.change({ n: 1 }, 'One.');
    editing.change({ n: 2 }, '', 'typing');
    editing.change({ n: 3 }, '', 'typing');
    editing.undo();
    expect(editing.now.n).toBe(1);
    editing.redo();
    expect(editing.now.n).toBe(3);
    editing.undo();
    editing.undo();
    expect([editing.now.n, editing.canUndo, editing.canRedo]).toEqual([0, false, true]);
    editing.change({ n: 9 });
    expect(editing.canRedo).toBe(false);
    expect(kept).toEqual([1, 2, 3, 1, 3, 1, 0, 9]);
  });

  it('is dragged without being changed, until it is let go', () => {
    const kept: number[] = [];
    const editing = new Editing({ n: 0 }, ({ n }) => kept.push(n));
    editing.drag({ n: 1 });
    editing.drag({ n: 2 });
    expect([editing.now.n, editing.seen.n, editing.dragging]).toEqual([0, 2, true]);
    editing.cancel();
    expect(editing.seen.n).toBe(0);
    editing.drag({ n: 5 });
    editing.drop('Moved.');
    expect([editing.now.n, editing.done, editing.dragging]).toEqual([5, 'Moved.', false]);
    editing.undo();
    expect(editing.now.n).toBe(0);
    expect(kept).toEqual([5, 0]);
  });
});
