//! The classes of the engine: those of nodes, with the types of properties that games often
//! synchronize, and others that scripts extend.
//!
//! A script that extends another class extends a script that is missing, or a class of an extension.
//! Then its list of methods is not certain. A script that extends a class without nodes has no remote
//! methods, because the engine calls only methods of nodes.

use super::has_word;
use crate::value::Kind;

/// Whether the engine has a class of nodes with this name. C# spells some of them in another case.
pub(crate) fn is_node_class(name: &str) -> bool {
    name.eq_ignore_ascii_case("Node") || base(name).is_some()
}

/// The kind of a property of a class of nodes, or of one that it inherits; none if it is not known.
pub(crate) fn kind_of_property(class: &str, property: &str) -> Option<Kind> {
    core::iter::successors(Some(class), |class| base(class)).find_map(|class| {
        let found = PROPERTIES
            .iter()
            .find(|(_, classes, names)| has_word(names, property) && has_word(classes, class));
        found.map(|(kind, ..)| *kind)
    })
}

/// The class that a class of nodes inherits directly.
fn base(name: &str) -> Option<&'static str> {
    NODE_CLASSES.iter().find(|(_, classes)| is_in(classes, name)).map(|(base, _)| *base)
}

fn is_in(classes: &str, name: &str) -> bool {
    classes.split_ascii_whitespace().any(|class| class.eq_ignore_ascii_case(name))
}

/// The classes of Godot 4.0 to 4.6, with few of those that only the editor has, by the class that
/// they inherit.
const NODE_CLASSES: &[(&str, &str)] = &[
    (
        "Node",
        "AnimationMixer AudioStreamPlayer CanvasItem CanvasLayer EditorPlugin HTTPRequest \
         InstancePlaceholder MissingNode MultiplayerSpawner MultiplayerSynchronizer \
         NavigationAgent2D NavigationAgent3D Node3D ResourcePreloader ShaderGlobalsOverride \
         StatusIndicator Timer Viewport WorldEnvironment",
    ),
    ("AnimationMixer", "AnimationPlayer AnimationTree"),
    ("CanvasItem", "Control Node2D"),
    ("CanvasLayer", "ParallaxBackground"),
    (
        "Node3D",
        "AudioListener3D AudioStreamPlayer3D BoneAttachment3D Camera3D CollisionObject3D \
         CollisionPolygon3D CollisionShape3D GridMap ImporterMeshInstance3D Joint3D \
         LightmapProbe Marker3D NavigationLink3D NavigationObstacle3D NavigationRegion3D \
         OpenXRCompositionLayer OpenXRHand OpenXRRenderModel OpenXRRenderModelManager Path3D \
         PathFollow3D RayCast3D RemoteTransform3D ShapeCast3D Skeleton3D SkeletonModifier3D \
         SpringArm3D SpringBoneCollision3D VehicleWheel3D VisualInstance3D XRFaceModifier3D \
         XRNode3D XROrigin3D",
    ),
    ("Viewport", "SubViewport Window"),
    (
        "Control",
        "BaseButton ColorRect Container GraphEdit ItemList Label LineEdit MenuBar NinePatchRect \
         Panel Range ReferenceRect RichTextLabel Separator TabBar TextEdit TextureRect Tree \
         VideoStreamPlayer VirtualJoystick",
    ),
    (
        "Node2D",
        "AnimatedSprite2D AudioListener2D AudioStreamPlayer2D BackBufferCopy Bone2D Camera2D \
         CanvasGroup CanvasModulate CollisionObject2D CollisionPolygon2D CollisionShape2D \
         CPUParticles2D GPUParticles2D Joint2D Light2D LightOccluder2D Line2D Marker2D \
         MeshInstance2D MultiMeshInstance2D NavigationLink2D NavigationObstacle2D \
         NavigationRegion2D Parallax2D ParallaxLayer Path2D PathFollow2D Polygon2D RayCast2D \
         RemoteTransform2D ShapeCast2D Skeleton2D Sprite2D TileMap TileMapLayer \
         TouchScreenButton VisibleOnScreenNotifier2D",
    ),
    ("Camera3D", "XRCamera3D"),
    ("CollisionObject3D", "Area3D PhysicsBody3D"),
    ("Joint3D", "ConeTwistJoint3D Generic6DOFJoint3D HingeJoint3D PinJoint3D SliderJoint3D"),
    (
        "OpenXRCompositionLayer",
        "OpenXRCompositionLayerCylinder OpenXRCompositionLayerEquirect \
         OpenXRCompositionLayerQuad",
    ),
    (
        "SkeletonModifier3D",
        "BoneConstraint3D BoneTwistDisperser3D IKModifier3D LimitAngularVelocityModifier3D \
         LookAtModifier3D ModifierBoneTarget3D PhysicalBoneSimulator3D RetargetModifier3D \
         SkeletonIK3D SpringBoneSimulator3D XRBodyModifier3D XRHandModifier3D",
    ),
    (
        "SpringBoneCollision3D",
        "SpringBoneCollisionCapsule3D SpringBoneCollisionPlane3D SpringBoneCollisionSphere3D",
    ),
    (
        "VisualInstance3D",
        "Decal FogVolume GeometryInstance3D GPUParticlesAttractor3D GPUParticlesCollision3D \
         Light3D LightmapGI OccluderInstance3D OpenXRVisibilityMask ReflectionProbe \
         RootMotionView VisibleOnScreenNotifier3D VoxelGI",
    ),
    ("XRNode3D", "XRAnchor3D XRController3D"),
    ("Window", "AcceptDialog Popup"),
    ("BaseButton", "Button LinkButton TextureButton"),
    (
        "Container",
        "AspectRatioContainer BoxContainer CenterContainer FlowContainer FoldableContainer \
         GraphElement GridContainer MarginContainer PanelContainer ScrollContainer \
         SplitContainer SubViewportContainer TabContainer",
    ),
    ("Range", "ProgressBar ScrollBar Slider SpinBox TextureProgressBar"),
    ("Separator", "HSeparator VSeparator"),
    ("TextEdit", "CodeEdit"),
    ("CollisionObject2D", "Area2D PhysicsBody2D"),
    ("Joint2D", "DampedSpringJoint2D GrooveJoint2D PinJoint2D"),
    ("Light2D", "DirectionalLight2D PointLight2D"),
    ("VisibleOnScreenNotifier2D", "VisibleOnScreenEnabler2D"),
    ("PhysicsBody3D", "CharacterBody3D PhysicalBone3D RigidBody3D StaticBody3D"),
    ("BoneConstraint3D", "AimModifier3D ConvertTransformModifier3D CopyTransformModifier3D"),
    ("IKModifier3D", "ChainIK3D TwoBoneIK3D"),
    (
        "GeometryInstance3D",
        "CPUParticles3D CSGShape3D GPUParticles3D Label3D MeshInstance3D MultiMeshInstance3D \
         SpriteBase3D",
    ),
    (
        "GPUParticlesAttractor3D",
        "GPUParticlesAttractorBox3D GPUParticlesAttractorSphere3D \
         GPUParticlesAttractorVectorField3D",
    ),
    (
        "GPUParticlesCollision3D",
        "GPUParticlesCollisionBox3D GPUParticlesCollisionHeightField3D \
         GPUParticlesCollisionSDF3D GPUParticlesCollisionSphere3D",
    ),
    ("Light3D", "DirectionalLight3D OmniLight3D SpotLight3D"),
    ("VisibleOnScreenNotifier3D", "VisibleOnScreenEnabler3D"),
    ("AcceptDialog", "ConfirmationDialog"),
    ("Popup", "PopupMenu PopupPanel"),
    ("Button", "CheckBox CheckButton ColorPickerButton MenuButton OptionButton"),
    ("BoxContainer", "HBoxContainer VBoxContainer"),
    ("FlowContainer", "HFlowContainer VFlowContainer"),
    ("GraphElement", "GraphFrame GraphNode"),
    ("PanelContainer", "OpenXRBindingModifierEditor"),
    ("SplitContainer", "HSplitContainer VSplitContainer"),
    ("ScrollBar", "HScrollBar VScrollBar"),
    ("Slider", "HSlider VSlider"),
    ("PhysicsBody2D", "CharacterBody2D RigidBody2D StaticBody2D"),
    ("RigidBody3D", "VehicleBody3D"),
    ("StaticBody3D", "AnimatableBody3D"),
    ("ChainIK3D", "IterateIK3D SplineIK3D"),
    ("CSGShape3D", "CSGCombiner3D CSGPrimitive3D"),
    ("MeshInstance3D", "SoftBody3D"),
    ("SpriteBase3D", "AnimatedSprite3D Sprite3D"),
    ("ConfirmationDialog", "FileDialog"),
    ("VBoxContainer", "ColorPicker"),
    ("RigidBody2D", "PhysicalBone2D"),
    ("StaticBody2D", "AnimatableBody2D"),
    ("IterateIK3D", "CCDIK3D FABRIK3D JacobianIK3D"),
    ("CSGPrimitive3D", "CSGBox3D CSGCylinder3D CSGMesh3D CSGPolygon3D CSGSphere3D CSGTorus3D"),
];

/// Kinds of properties, the classes that have them, and their names.
const PROPERTIES: &[(Kind, &str, &str)] = &[
    (Kind::Bool, "CanvasItem", "visible top_level show_behind_parent"),
    (Kind::Color, "CanvasItem", "modulate self_modulate"),
    (Kind::Int, "CanvasItem", "z_index"),
    (Kind::Vector2, "Node2D", "position scale global_position global_scale"),
    (
        Kind::Float,
        "Node2D",
        "rotation rotation_degrees skew global_rotation global_rotation_degrees",
    ),
    (Kind::Transform2D, "Node2D", "transform global_transform"),
    (Kind::Vector2, "Control", "position global_position size scale pivot_offset"),
    (Kind::Float, "Control", "rotation rotation_degrees"),
    (
        Kind::Vector3,
        "Node3D",
        "position rotation rotation_degrees scale global_position global_rotation global_rotation_degrees",
    ),
    (Kind::Quaternion, "Node3D", "quaternion"),
    (Kind::Basis, "Node3D", "basis global_basis"),
    (Kind::Transform3D, "Node3D", "transform global_transform"),
    (Kind::Bool, "Node3D", "visible top_level"),
    (Kind::Vector2, "CharacterBody2D", "velocity"),
    (Kind::Vector3, "CharacterBody3D", "velocity"),
    (Kind::Vector2, "RigidBody2D", "linear_velocity constant_force"),
    (Kind::Float, "RigidBody2D", "angular_velocity mass constant_torque"),
    (Kind::Bool, "RigidBody2D RigidBody3D", "sleeping freeze lock_rotation"),
    (
        Kind::Vector3,
        "RigidBody3D",
        "linear_velocity angular_velocity constant_force constant_torque",
    ),
    (Kind::Float, "RigidBody3D", "mass"),
    (Kind::Int, "CollisionObject2D CollisionObject3D", "collision_layer collision_mask"),
    (Kind::Bool, "CollisionShape2D CollisionShape3D", "disabled"),
    (Kind::StringName, "AnimatedSprite2D AnimatedSprite3D", "animation"),
    (Kind::Int, "AnimatedSprite2D AnimatedSprite3D Sprite2D Sprite3D", "frame"),
    (Kind::Float, "AnimatedSprite2D AnimatedSprite3D", "frame_progress speed_scale"),
    (Kind::Bool, "AnimatedSprite2D SpriteBase3D Sprite2D", "flip_h flip_v"),
    (Kind::Vector2, "AnimatedSprite2D Sprite2D", "offset"),
    (Kind::Color, "SpriteBase3D Label3D", "modulate"),
    (Kind::Vector2i, "Sprite2D Sprite3D", "frame_coords"),
    (Kind::Float, "AnimationPlayer", "speed_scale"),
    (Kind::String, "Label RichTextLabel Label3D Button LineEdit", "text"),
    (Kind::Int, "Label", "visible_characters"),
    (Kind::Float, "Label", "visible_ratio"),
    (Kind::Bool, "BaseButton", "disabled button_pressed"),
    (Kind::Float, "Range", "value min_value max_value"),
    (Kind::Float, "Timer", "wait_time time_left"),
    (Kind::Bool, "Timer", "paused"),
    (Kind::Float, "Light3D", "light_energy"),
    (Kind::Color, "Light3D", "light_color"),
    (Kind::Float, "Light2D", "energy"),
    (Kind::Color, "Light2D ColorRect Polygon2D", "color"),
    (Kind::Bool, "Light2D RayCast3D RayCast2D", "enabled"),
    (Kind::Float, "PathFollow2D PathFollow3D", "progress progress_ratio"),
    (Kind::Bool, "GPUParticles2D GPUParticles3D CPUParticles2D CPUParticles3D", "emitting"),
    (Kind::Bool, "AudioStreamPlayer AudioStreamPlayer2D AudioStreamPlayer3D", "playing"),
    (Kind::Float, "AudioStreamPlayer AudioStreamPlayer2D AudioStreamPlayer3D", "volume_db"),
    (Kind::Bool, "Area2D Area3D", "monitoring monitorable"),
    (Kind::Vector3, "RayCast3D", "target_position"),
    (Kind::Vector2, "RayCast2D", "target_position"),
];

/// Whether the engine has a class with this name that is not a node, and that scripts extend. C# spells
/// some of them in another case, and calls `Object` `GodotObject`.
pub(crate) fn is_other_class(name: &str) -> bool {
    is_in(OTHER_CLASSES, name)
}

/// The classes of Godot 4.0 to 4.6 that are not nodes and that have something to override, or are
/// resources to which scripts add variables.
const OTHER_CLASSES: &str = "AStar2D AStar3D AStarGrid2D Animation AnimationLibrary AnimationNode AnimationNodeExtension \
    AnimationRootNode ArrayMesh AtlasTexture AudioEffect AudioEffectInstance AudioStream \
    AudioStreamPlayback AudioStreamRandomizer BitMap BoxShape3D ButtonGroup CircleShape2D \
    CodeHighlighter CompositorEffect ConfigFile Curve Curve2D Curve3D ENetMultiplayerPeer \
    EditorContextMenuPlugin EditorDebuggerPlugin EditorExportPlatformExtension \
    EditorExportPlugin EditorImportPlugin EditorInspectorPlugin EditorNode3DGizmo \
    EditorNode3DGizmoPlugin EditorResourceConversionPlugin EditorResourcePreviewGenerator \
    EditorResourceTooltipPlugin EditorSceneFormatImporter EditorScenePostImport \
    EditorScenePostImportPlugin EditorScript EditorSyntaxHighlighter \
    EditorTranslationParserPlugin EditorVCSInterface EngineProfiler Environment FastNoiseLite \
    Font FontFile FontVariation GDScript GLTFDocument GLTFDocumentExtension GLTFState \
    GodotObject Gradient GradientTexture1D GradientTexture2D HTTPClient Image \
    ImageFormatLoaderExtension ImageTexture ImmediateMesh InputEvent InputEventAction \
    InputEventKey JSON JSONRPC LabelSettings Logger MainLoop Material Mesh MeshLibrary \
    MovieWriter MultiplayerAPI MultiplayerAPIExtension MultiplayerPeer MultiplayerPeerExtension \
    Mutex NavigationMesh NavigationPolygon Node3DGizmo Noise Object OfflineMultiplayerPeer \
    PackedScene PacketPeer PacketPeerExtension PacketPeerUDP PhysicsMaterial PrimitiveMesh \
    RandomNumberGenerator RectangleShape2D RefCounted Resource ResourceFormatLoader \
    ResourceFormatSaver ResourceImporter RichTextEffect SceneMultiplayer SceneTree Script \
    ScriptExtension ScriptLanguageExtension Semaphore Shader ShaderMaterial Shape2D Shape3D \
    Shortcut SkeletonModification2D SkeletonModificationStack2D SkeletonProfile Sky SpriteFrames \
    StandardMaterial3D StreamPeer StreamPeerExtension StreamPeerTCP StyleBox StyleBoxEmpty \
    StyleBoxFlat StyleBoxLine StyleBoxTexture SyntaxHighlighter TCPServer TextServerExtension \
    Texture Texture2D Texture3D Theme Thread TileMapPattern TileSet TileSetSource Translation \
    UndoRedo VideoStream VideoStreamPlayback VisualShader VisualShaderNodeCustom \
    WebRTCDataChannelExtension WebRTCMultiplayerPeer WebRTCPeerConnectionExtension \
    WebSocketMultiplayerPeer WebSocketPeer World2D World3D XRInterface XRInterfaceExtension";
